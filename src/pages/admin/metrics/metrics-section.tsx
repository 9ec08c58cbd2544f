import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Choice, FilterSelect, LoadedView, Note, useKit, useLoad, useStore, TimeSpan } from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { Breakdowns } from './breakdowns.js';
import { OUTCOMES_HELP } from './outcome-series.js';
import { SeriesCharts } from './series-charts.js';
import { UsageExport } from './usage-export.js';
import { RANGES, readRange, type RangeName, type TimeRange } from './time-range.js';

/** A range that ends now is loaded again so often, in milliseconds. */
const LOOK_MS = 30_000;
const STEPS = { minute: 'minute', hour: 'hour', day: 'day (UTC)' } as const;

/** Charts over time, to a year, of all, of a model, of a runtime, or of a key. */
export function MetricsSection(): VNode {
  const { api } = useAdmin();
  const { router, clock, formats } = useKit();
  const { query } = useStore(router);
  const { model = '', runtime = '', key_id: key = '', range: name, from, to } = query;
  const [isOwn, setOwn] = useState(false);
  // A range that ends now ends at the time at which it is loaded.
  const rangeNow = (): TimeRange => readRange(query, clock.unixMs());
  const range = rangeNow();
  const everyMs = range.to === '' ? LOOK_MS : undefined;
  const scope = key === '' ? (model === '' ? { runtime } : { model }) : { key_id: key };
  const series = useLoad(
    (call) => {
      const { from: start, to: end } = rangeNow();
      return api.metrics({ from: start, to: end, ...scope }, call);
    },
    [name, from, to, model, runtime, key],
    everyMs,
  );
  const models = useLoad((call) => api.models(call), []).value?.data ?? [];
  const runtimes = useLoad((call) => api.runtimes(call), []).value?.data ?? [];
  const onRange = (chosen: RangeName): void => {
    if (chosen === 'own') setOwn(true);
    else router.setQuery({ range: chosen, from: '', to: '' });
  };
  const zoom = (fromMs: number, toMs: number): void =>
    router.setQuery({ range: '', from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() });
  const names = [...RANGES.map(([id, label]) => [id, label] as const), ['own', 'Own'] as const];
  return (
    <div class="measure">
      <div class="toolbar">
        <Choice name="Range" isNameHidden values={names} chosen={range.name} onChoose={onRange} />
        {range.name === 'own' && (
          <button type="button" class="button small" onClick={() => setOwn(true)}>
            {formats.dateTime(range.from)} – {range.to === '' ? 'now' : formats.dateTime(range.to)}
          </button>
        )}
        <span class="toolbar-space" />
        <FilterSelect
          label="Model"
          value={model}
          options={withChosen(
            models.map(({ id }) => id),
            model,
          )}
          onChange={(value) => router.setQuery({ model: value, runtime: '', key_id: '' })}
        />
        <FilterSelect
          label="Runtime"
          value={runtime}
          options={withChosen(
            runtimes.map(({ id }) => id),
            runtime,
          )}
          onChange={(value) => router.setQuery({ runtime: value, model: '', key_id: '' })}
        />
        {key !== '' && (
          <button type="button" class="button small" onClick={() => router.setQuery({ key_id: '' })}>
            Key {key} ✕
          </button>
        )}
      </div>
      <LoadedView loaded={series} lines={12}>
        {(value) => (
          <>
            {!value.complete && (
              <Note tone="warn">
                Older requests are still being added up: the beginning of a long range may have fewer than there were.
              </Note>
            )}
            <p class="muted">
              A value for each {STEPS[value.step]}. Mark a part of a chart to look closer.
              {key === '' && ` ${OUTCOMES_HELP}`}
            </p>
            <SeriesCharts series={value} isKey={key !== ''} onRange={zoom} />
          </>
        )}
      </LoadedView>
      {model === '' && runtime === '' && key === '' && (
        <Breakdowns rangeNow={rangeNow} deps={[name, from, to]} everyMs={everyMs} />
      )}
      {runtime === '' && <UsageExport rangeNow={rangeNow} model={model} keyId={key} />}
      {isOwn && (
        <TimeSpan
          from={range.from}
          to={range.to}
          onChosen={(span) => {
            router.setQuery({ range: '', ...span });
            setOwn(false);
          }}
          onClose={() => setOwn(false)}
        />
      )}
    </div>
  );
}

/** The options include the chosen id, even if the file no longer has it. */
function withChosen(ids: readonly string[], chosen: string): readonly (readonly [string, string])[] {
  return [...new Set(chosen === '' ? ids : [...ids, chosen])].map((id) => [id, id] as const);
}
