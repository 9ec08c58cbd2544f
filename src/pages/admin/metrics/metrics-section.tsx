import type { VNode } from 'preact';
import {
  FilterSelect,
  LoadedView,
  TrafficToolbar,
  TrafficView,
  useKit,
  useLoad,
  useStore,
  useTraffic,
  useTrafficTime,
} from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { Breakdowns } from './breakdowns.js';
import { UsageExport } from './usage-export.js';

/** Charts over time, to a year, of all, of a model, of a runtime, or of a key. */
export function MetricsSection(): VNode {
  const { api } = useAdmin();
  const { router } = useKit();
  const { query } = useStore(router);
  const { model = '', runtime = '', key_id: key = '' } = query;
  const time = useTrafficTime();
  const scope = key === '' ? (model === '' ? { runtime } : { model }) : { key_id: key };
  const series = useTraffic(time, [model, runtime, key], ({ from, to }, call) =>
    api.metrics({ from, to, ...scope }, call),
  );
  const models = useLoad((call) => api.models(call), []).value?.data ?? [];
  const runtimes = useLoad((call) => api.runtimes(call), []).value?.data ?? [];
  return (
    <div class="measure">
      <TrafficToolbar time={time}>
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
      </TrafficToolbar>
      <LoadedView loaded={series} lines={12}>
        {(value) => <TrafficView series={value} onRange={time.onRange} hasOutcomes={key === ''} />}
      </LoadedView>
      {model === '' && runtime === '' && key === '' && <Breakdowns time={time} />}
      {runtime === '' && <UsageExport rangeNow={time.rangeNow} model={model} keyId={key} />}
    </div>
  );
}

/** The options include the chosen id, even if the file no longer has it. */
function withChosen(ids: readonly string[], chosen: string): readonly (readonly [string, string])[] {
  return [...new Set(chosen === '' ? ids : [...ids, chosen])].map((id) => [id, id] as const);
}
