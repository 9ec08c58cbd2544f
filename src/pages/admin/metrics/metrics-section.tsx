import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import {
  ActionButton,
  Card,
  Choice,
  FailureNote,
  FilterSelect,
  Icon,
  LoadedView,
  saveFile,
  TrafficToolbar,
  TrafficView,
  useKit,
  useLoad,
  useStore,
  useTraffic,
  useTrafficTime,
  type TimeRange,
} from '../../kit/index.js';
import { useAdmin } from '../admin.js';
import { Breakdowns } from './breakdowns.js';
import type { ApiFailure } from '../../data/index.js';

/** Charts over up to a year, of all requests or of one model, runtime or key. */
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
        {key !== '' && <ChosenKey id={key} onRemove={() => router.setQuery({ key_id: '' })} />}
      </TrafficToolbar>
      <LoadedView loaded={series} lines={12}>
        {(value) => <TrafficView series={value} onRange={time.onRange} />}
      </LoadedView>
      {model === '' && runtime === '' && key === '' && <Breakdowns time={time} />}
      {runtime === '' && <UsageExport rangeNow={time.rangeNow} model={model} keyId={key} />}
    </div>
  );
}

/** The key that charts are of, by its name; by its id as long as the name is not there, or after its removal. */
function ChosenKey({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }): VNode {
  const { api } = useAdmin();
  const name = useLoad((call) => api.key(id, call), [id]).value?.key.name;
  return (
    <button type="button" class="button small" title={id} onClick={onRemove}>
      Key {name ?? id} ✕
    </button>
  );
}

/** The options include the chosen id, even if the file no longer has it. */
function withChosen(ids: readonly string[], chosen: string): readonly (readonly [string, string])[] {
  return [...new Set(chosen === '' ? ids : [...ids, chosen])].map((id) => [id, id] as const);
}

const ROWS = [
  ['key', 'Keys'],
  ['model', 'Models'],
  ['day', 'Days'],
] as const;

/** Exports the usage in a time range for a spreadsheet: one row for each key, model or day. */
function UsageExport(props: {
  readonly rangeNow: () => TimeRange;
  readonly model: string;
  readonly keyId: string;
}): VNode {
  const { rangeNow, model, keyId } = props;
  const { api } = useAdmin();
  const [by, setBy] = useState<(typeof ROWS)[number][0]>('key');
  const [failure, setFailure] = useState<ApiFailure>();
  const take = async (): Promise<void> => {
    const { from, to } = rangeNow();
    const answer = await api.exportUsage({ by, from, to, model, key_id: keyId });
    setFailure(answer.ok ? undefined : answer.failure);
    if (answer.ok) saveFile(`usage-by-${by}.csv`, await answer.value.blob());
  };
  return (
    <Card title="Tokens and cost">
      <p class="muted">Of the days of this time, whole ones in UTC.</p>
      <div class="toolbar">
        <Choice name="A row for each" isNameHidden values={ROWS} chosen={by} onChoose={setBy} />
        <ActionButton onAct={take}>
          <Icon name="save" /> Export as CSV
        </ActionButton>
      </div>
      {failure !== undefined && <FailureNote failure={failure} />}
    </Card>
  );
}
