import type { Formats, BudgetUsage } from '../../data/index.js';
import { Time, type Column } from '../../kit/index.js';
import { LABELS } from '../../../words/index.js';
import type { Key } from '../api/key-answers.js';
import { KeyStateBadge } from './key-state.js';

/** The columns of the list of keys. */
export function keyColumns(formats: Formats, now: number): readonly Column<Key>[] {
  return [
    { id: 'name', title: LABELS.name, width: 13, narrow: 7.5, sort: 'name', cell: ({ name }) => name },
    { id: 'state', title: LABELS.state, width: 6.5, narrow: 5.5, cell: ({ state }) => <KeyStateBadge state={state} /> },
    {
      id: 'budget',
      title: LABELS.budgetUsed,
      width: 7,
      narrow: 6.5,
      align: 'end',
      cell: ({ limits }) => <BudgetShare budgets={limits.budgets} formats={formats} />,
    },
    { id: 'prefix', title: LABELS.beginsWith, width: 7.5, isExtra: true, cell: ({ prefix }) => <code>{prefix}</code> },
    { id: 'models', title: LABELS.models, width: 8, isExtra: true, cell: ({ models }) => modelsOf(models) },
    {
      id: 'rate',
      title: 'Left this minute',
      width: 8,
      align: 'end',
      cell: ({ limits: { requests_per_minute: limit, requests_left: left } }) =>
        limit === null ? (
          <span class="muted">no limit</span>
        ) : (
          `${formats.compact(left ?? limit)} / ${formats.compact(limit)}`
        ),
    },
    {
      id: 'tokens',
      title: LABELS.tokens,
      width: 6,
      align: 'end',
      sort: 'tokens',
      cell: ({ used }) => formats.compact(used.total_tokens),
    },
    {
      id: 'used',
      title: LABELS.lastUsed,
      width: 8,
      sort: 'last_used',
      cell: ({ last_used_at: at }) => <Time at={at} now={now} never="never" />,
    },
    {
      id: 'expires',
      title: LABELS.expires,
      width: 7.5,
      isExtra: true,
      cell: ({ expires_at: at }) => (at === null ? <span class="muted">never</span> : formats.date(at)),
    },
    {
      id: 'created',
      title: LABELS.created,
      width: 7.5,
      isExtra: true,
      sort: 'created',
      cell: ({ created_at: at }) => formats.date(at),
    },
  ];
}

function modelsOf(models: Key['models']) {
  if (models === null) return 'all';
  return models.length === 0 ? <span class="muted">none</span> : models.join(', ');
}

/** The used share of the budget that is closest to its limit. */
function BudgetShare({ budgets, formats }: { readonly budgets: readonly BudgetUsage[]; readonly formats: Formats }) {
  const shares = budgets.map(({ used, held, limit }) => (Number(used) + Number(held)) / Number(limit));
  if (shares.length === 0) return <span class="muted">–</span>;
  const most = Math.max(...shares);
  return <span class={most >= 1 ? 'wrong' : ''}>{formats.percent(most)}</span>;
}
