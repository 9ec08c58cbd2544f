import type { BudgetUsage } from '../../data/index.js';
import type { VNode } from 'preact';
import { UsageBar, useKit } from '../../kit/index.js';
import { windowText } from '../../../words/index.js';
import type { Key } from '../api/key-answers.js';

/** Every limit with its current usage. */
export function KeyLimits({ limits }: { readonly limits: Key['limits'] }): VNode {
  const { formats } = useKit();
  const rows = [
    ['Requests a minute', limits.requests_per_minute, limits.requests_left],
    ['Tokens a minute', limits.tokens_per_minute, limits.tokens_left],
  ] as const;
  const { parallel_requests: parallel, running_requests: running, max_output_tokens: longest } = limits;
  const hasNone =
    rows.every(([, limit]) => limit === null) && parallel === null && longest === null && limits.budgets.length === 0;
  return (
    <section class="form" aria-label="Limits">
      <h3 class="part-title">Limits and their use now</h3>
      {hasNone && <p class="muted">Nothing limits this key. {formats.counted(running, 'request')} under way.</p>}
      <div class="meters">
        {rows.map(
          ([label, limit, left]) =>
            limit !== null && (
              <UsageBar
                key={label}
                label={label}
                value={limit - (left ?? limit)}
                max={limit}
                text={`${formats.compact(limit - (left ?? limit))} of ${formats.compact(limit)}`}
              />
            ),
        )}
        {parallel !== null && (
          <UsageBar
            label="Requests at once"
            value={running}
            max={parallel}
            text={`${formats.count(running)} of ${formats.count(parallel)}`}
          />
        )}
        {limits.budgets.map((budget) => (
          <BudgetMeter key={`${budget.unit} ${budget.window}`} budget={budget} />
        ))}
      </div>
      {longest !== null && <p class="muted">The longest answer has {formats.counted(longest, 'token')}.</p>}
    </section>
  );
}

function BudgetMeter({ budget }: { readonly budget: BudgetUsage }): VNode {
  const { formats } = useKit();
  const { unit, window, limit, used, held, resets_at: resets } = budget;
  const write = (value: number | string): string =>
    unit === 'tokens' ? formats.compact(Number(value)) : formats.money(String(value), unit);
  const now = Number(used) + Number(held);
  const heldWords = Number(held) > 0 ? `, ${write(held)} reserved` : '';
  const resetWords = resets === null ? '' : `, full again ${formats.dateTime(resets)}`;
  return (
    <div>
      <UsageBar
        label={`${unit === 'tokens' ? 'Tokens' : unit} ${windowText(window)}`}
        value={now}
        max={Number(limit)}
        text={`${write(used)} of ${write(limit)}`}
      />
      <p class="hint">{`${heldWords}${resetWords}`.replace(/^, /, '')}</p>
    </div>
  );
}
