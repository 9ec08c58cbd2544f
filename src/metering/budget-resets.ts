import { invalidValue } from '../base/index.js';
import type { AuditActor } from './audit/audit-entry.js';
import type { AuditLog } from './audit/audit-log.js';
import type { WriteCommitter } from './database/committer.js';
import type { ForgivenTable } from './database/forgiven-table.js';
import type { Budget, KeyRecord } from './keys/key-record.js';
import { amountsOf, usedOf } from './ledger/key-account.js';
import type { Ledger } from './ledger/ledger.js';
import { windowStart, type Window } from './window.js';
import { toAmount } from '../words/index.js';

/** The budgets of a key to refill; absent fields are not compared. */
export interface BudgetChoice {
  readonly window?: Window;
  /** A currency, or `tokens`. */
  readonly unit?: string;
}

/** Options of refills. */
export interface BudgetResetOptions {
  readonly ledger: Ledger;
  readonly table: ForgivenTable;
  readonly committer: WriteCommitter;
  readonly audit: AuditLog;
  readonly now: () => number;
}

/**
 * Refills budgets of a key: usage in their windows until now does not count. Holds of requests under way stay, and
 * usage and costs stay as they are. Errors: `invalid_value`, `audit_unavailable`, `metering_unavailable`.
 */
export async function resetBudgets(
  { ledger, table, committer, audit, now }: BudgetResetOptions,
  { id, name, limits }: KeyRecord,
  { window, unit }: BudgetChoice,
  by: AuditActor,
): Promise<void> {
  const budgets = limits.budgets.filter(
    (budget) => (window === undefined || budget.window === window) && (unit === undefined || unitOf(budget) === unit),
  );
  if (budgets.length === 0) {
    const known = limits.budgets.map((budget) => `${unitOf(budget)} a ${budget.window}`).join(', ');
    throw invalidValue(
      'budget',
      [unit, window].filter(Boolean).join(' a '),
      known === '' ? 'of a key with a budget' : `of this key: ${known}`,
    );
  }
  ledger.moveTo(now());
  const account = ledger.account(id);
  const forgiven = budgets.map((budget) => ({
    keyId: id,
    ...('currency' in budget && { currency: budget.currency }),
    window: budget.window,
    start: windowStart(budget.window, ledger.day),
    amount: amountsOf(account, budget).used(budget.window),
    budget,
    used: usedOf(account, budget),
  }));
  const diff = {
    name,
    before: { budgets_used: forgiven.map(({ budget, used }) => toFacts(budget, used)) },
    after: { budgets_used: forgiven.map(({ budget }) => toFacts(budget, 0n)) },
  };
  await audit.during({ actor: by, action: 'key.reset-budget', target: `key:${id}`, diff }, () =>
    committer.write(() => forgiven.forEach((each) => table.put(each))),
  );
  for (const each of forgiven) ledger.forgive(each);
}

function unitOf(budget: Budget): string {
  return 'tokens' in budget ? 'tokens' : budget.currency;
}

/** A budget and how much of it is used. */
function toFacts(budget: Budget, used: bigint): object {
  const { window } = budget;
  if ('tokens' in budget) return { window, used: Number(used), tokens: budget.tokens };
  const { amountMicro, currency } = budget;
  return { window, used: toAmount(used), amount: toAmount(amountMicro), currency };
}
