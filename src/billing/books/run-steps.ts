// Many steps in one transaction: it reads locked rows once, the rules decide, and it writes the changes once. Each step
// is atomic: a refused step changes nothing.

import { isAppError } from '../../base/index.js';
import type { CommitBehind, Queries } from '../../database/index.js';
import { admit, extend, giveAllowance, settle, takeAllowance } from './books.js';
import { loadRows, type LoadedRows } from './load-rows.js';
import { idempotencyKeyUsed } from './refusals.js';
import { saveRows, takeSnapshot } from './save-rows.js';
import type { RunOptions, AccountStep, StepResult } from './step.js';

/** How long an `Idempotency-Key` means its first request. */
export const IDEMPOTENCY_MS = 86_400_000;

/**
 * Runs `steps` within a transaction, starting with those that free money. Returns their results in the order of
 * `steps`.
 */
export async function runSteps(
  queries: Queries,
  steps: readonly AccountStep[],
  options: RunOptions,
  commitBehind: CommitBehind,
): Promise<readonly StepResult[]> {
  const rows = await loadRows(queries, steps);
  const before = takeSnapshot(rows);
  const results = new Map<AccountStep, StepResult>();
  for (const step of inOrder(steps)) results.set(step, runStep(rows, step, options));
  const saved = saveRows(queries, { steps, results, rows, before, ...options });
  if (saved.isSent) commitBehind(saved.done);
  else await saved.done;
  return steps.map((step) => results.get(step) ?? { kind: 'taken', amountMicro: 0n });
}

const ORDER: Readonly<Record<AccountStep['kind'], number>> = { settle: 0, give: 1, extend: 2, take: 3, admit: 4 };

function inOrder(steps: readonly AccountStep[]): readonly AccountStep[] {
  return steps.toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind]);
}

function runStep(rows: LoadedRows, step: AccountStep, options: RunOptions): StepResult {
  try {
    return tryStep(rows, step, options);
  } catch (error) {
    // Anything else is a fault of ours: the transaction is rolled back.
    if (isAppError(error)) return { kind: 'refused', error };
    throw error;
  }
}

function tryStep(rows: LoadedRows, step: AccountStep, options: RunOptions): StepResult {
  switch (step.kind) {
    case 'settle':
      return { kind: 'settled', settled: settle(rows, step.settlement) };
    case 'extend':
      return { kind: 'granted', granted: extend(rows, step.request, step.wantedTokens, step.budgets) };
    case 'take':
      return { kind: 'taken', amountMicro: takeAllowance(rows, step) };
    case 'give':
      giveAllowance(rows, step.nodeId, step.accountId, step.amountMicro);
      return { kind: 'taken', amountMicro: -step.amountMicro };
    case 'admit':
      checkFirstUse(rows, step, options.nowMs);
      return { kind: 'granted', granted: admitOnce(rows, step, options.nowMs) };
  }
}

/** A key of a request that was voided, or is a day old, may be used again. */
function checkFirstUse(rows: LoadedRows, { admission }: Extract<AccountStep, { kind: 'admit' }>, nowMs: number): void {
  const { idempotencyKey, request } = admission;
  if (idempotencyKey === undefined) return;
  const first = rows.firstUses.get(`${request.accountId} ${idempotencyKey}`);
  if (first === undefined || first.state === 'voided' || nowMs - first.createdAtMs >= IDEMPOTENCY_MS) return;
  throw idempotencyKeyUsed(first.requestId, first.state);
}

function admitOnce(rows: LoadedRows, { admission }: Extract<AccountStep, { kind: 'admit' }>, createdAtMs: number) {
  const granted = admit(rows, admission);
  const { idempotencyKey, request } = admission;
  const { requestId, accountId } = request;
  if (idempotencyKey !== undefined)
    rows.firstUses.set(`${accountId} ${idempotencyKey}`, { requestId, state: 'running', createdAtMs });
  return granted;
}
