import type { VNode } from 'preact';
import { Badge, DataTable, Empty, Time, useKit, useRows, type Column, type Tone } from '../../kit/index.js';
import { BOOKINGS, LABELS } from '../../../words/index.js';
import { useAccount } from '../account-page.js';
import type { Generation } from '../api/account-api.js';

const TONES: Readonly<Record<Generation['state'], Tone>> = { running: 'info', settled: 'good', voided: 'idle' };

/** Requests with their costs, the newest first. No server stores their content. */
export function RequestsView(): VNode {
  const { api } = useAccount();
  const { formats } = useKit();
  const [rows, list] = useRows<Generation>((cursor, signal) => api.generations(cursor, signal), []);
  const columns: readonly Column<Generation>[] = [
    { id: 'time', title: LABELS.time, width: 9, narrow: 8.25, cell: ({ created_at: at }) => <Time at={at} isShort /> },
    { id: 'model', title: LABELS.model, width: 12, narrow: 7, cell: ({ model }) => model },
    {
      id: 'cost',
      title: LABELS.cost,
      width: 8.5,
      narrow: 6,
      align: 'end',
      cell: ({ cost, currency }) => formats.money(cost, currency),
    },
    {
      id: 'state',
      title: LABELS.state,
      width: 6.5,
      cell: ({ state }) => <Badge tone={TONES[state]}>{BOOKINGS[state]}</Badge>,
    },
    {
      id: 'tokens',
      title: LABELS.tokensInOut,
      width: 8.5,
      align: 'end',
      cell: ({ usage: { prompt_tokens: prompt, completion_tokens: completion, is_estimated: isEstimated } }) =>
        `${formats.count(prompt)} / ${isEstimated ? '≈ ' : ''}${formats.count(completion)}`,
    },
    {
      id: 'duration',
      title: LABELS.duration,
      width: 5.5,
      align: 'end',
      cell: ({ duration_ms: ms }) => (ms === null ? '–' : formats.duration(ms)),
    },
    { id: 'provider', title: LABELS.provider, width: 9, cell: ({ provider }) => <code>{provider}</code> },
    { id: 'id', title: LABELS.id, width: 18, cell: ({ id }) => <code>{id}</code> },
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
