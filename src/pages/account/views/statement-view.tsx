import type { VNode } from 'preact';
import {
  ActionButton,
  Card,
  Choice,
  LoadedView,
  saveFile,
  StatementView as Shown,
  useKit,
  useLoad,
  useStore,
} from '../../kit/index.js';
import { useAccount } from '../account-page.js';

const DAY_MS = 86_400_000;
const RANGES = [
  ['30', '30 d'],
  ['90', '90 d'],
  ['365', '1 y'],
] as const;

/** Payments, refunds and usage, also as a file. */
export function StatementView(): VNode {
  const { api } = useAccount();
  const { router, clock, notify } = useKit();
  const { range = '30' } = useStore(router).query;
  const chosen = RANGES.find(([days]) => days === range)?.[0] ?? '30';
  const dayOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 10);
  const days = {
    from: dayOf(clock.unixMs() - (Number(chosen) - 1) * DAY_MS),
    to: dayOf(clock.unixMs() + DAY_MS),
  };
  const loaded = useLoad(({ signal }) => api.statement(days, signal), [days.from, days.to]);
  const save = async (): Promise<void> => {
    const answer = await api.statementCsv(days);
    if (answer.ok) saveFile('statement.csv', new Blob([answer.value], { type: 'text/csv' }));
    else notify(answer.failure.message);
  };
  return (
    <div class="measure">
      <div class="toolbar">
        <Choice
          name="Range"
          isNameHidden
          values={RANGES}
          chosen={chosen}
          onChoose={(value) => router.setQuery({ range: value })}
        />
        <span class="toolbar-space" />
        <ActionButton onAct={save}>Save as CSV</ActionButton>
      </div>
      <Card title="Statement, days in UTC">
        <LoadedView loaded={loaded}>{(value) => <Shown statement={value} payments={value.data} />}</LoadedView>
      </Card>
    </div>
  );
}
