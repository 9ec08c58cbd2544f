import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../data/index.js';
import { ActionButton, Card, Choice, FailureNote, Icon, saveFile, type TimeRange } from '../../kit/index.js';
import { useAdmin } from '../admin.js';

const ROWS = [
  ['key', 'Keys'],
  ['model', 'Models'],
  ['day', 'Days'],
] as const;

/** A table of usage in a time, for a spreadsheet: a row for each key, model or day. */
export function UsageExport(props: {
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
