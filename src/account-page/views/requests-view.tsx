import type { VNode } from 'preact';
import { Badge, DataTable, Empty, Time, useKit, useRows, type Column, type Tone } from '../../page-kit/index.js';
import { useAccount } from '../account-page.js';
import type { Generation } from '../api/account-api.js';

const TONES: Readonly<Record<Generation['state'], Tone>> = { running: 'info', settled: 'good', voided: 'idle' };

/** Requests with what each cost, the newest first. What they said is kept nowhere. */
export function RequestsView(): VNode {
  const { api } = useAccount();
  const { formats } = useKit();
  const [rows, list] = useRows<Generation>((cursor, signal) => api.generations(cursor, signal), []);
  const columns: readonly Column<Generation>[] = [
    { id: 'time', title: 'Time', width: 12, cell: ({ created_at: at }) => <Time at={at} /> },
    { id: 'model', title: 'Model', width: 14, cell: ({ model }) => model },
    { id: 'provider', title: 'Provider', width: 10, cell: ({ provider }) => <code>{provider}</code> },
    { id: 'state', title: 'State', width: 7, cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
    { id: 'prompt', title: 'Prompt', width: 6, align: 'end', cell: ({ usage }) => formats.count(usage.prompt_tokens) },
    {
      id: 'completion',
      title: 'Completion',
      width: 7,
      align: 'end',
      cell: ({ usage }) => `${usage.is_estimated ? '≈ ' : ''}${formats.count(usage.completion_tokens)}`,
    },
    { id: 'cost', title: 'Cost', width: 8, align: 'end', cell: ({ cost, currency }) => formats.money(cost, currency) },
    {
      id: 'duration',
      title: 'Took',
      width: 6,
      align: 'end',
      cell: ({ duration_ms: ms }) => (ms === null ? '–' : formats.duration(ms)),
    },
    { id: 'id', title: 'Id', width: 22, cell: ({ id }) => <code>{id}</code> },
  ];
  return (
    <DataTable
      label="Requests"
      state={rows}
      columns={columns}
      keyOf={({ id }) => id}
      onMore={() => void list.more()}
      onReload={() => void list.reload()}
      empty={<Empty icon="requests" title="There was no request yet" />}
    />
  );
}
