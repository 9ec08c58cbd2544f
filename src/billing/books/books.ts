// The rules of money as a plain synchronous object over locked rows: one transaction reads, decides and writes.
// Invariants: no available amount is below zero; the held amount of an account is the sum of its holds and allowances;
// each request ends once.

import { AppError, present } from '../../base/index.js';
import { affordableAtRates, boundMicro, type Used } from '../prices/cost.js';
import type { AdmissionRequest } from './admission.js';
import type { HeldRequest } from './held-request.js';
import { insufficientCredit, overKeyBudget } from './refusals.js';
import type { AccountRow, Rows, WindowRow } from './rows.js';
import type { Settlement } from './settlement.js';
import type { AllowanceStep, Granted, Settled } from './step.js';

const UNCHANGED: Settled = { chargedMicro: 0n, unchargedMicro: 0n, isNew: false, isLate: false };

/**
 * Reserves for a request, by its budgets and the money of its account at once, or throws. If less than a slice can be
 * paid, it reserves the rest. Errors: `insufficient_credit`, `budget_exceeded`, `currency_mismatch`,
 * `account_suspended`, `request_id_used`.
 */
export function admit(rows: Rows, admission: AdmissionRequest): Granted {
  const { request, wantedTokens, leastTokens, budgets } = admission;
  const account = openAccount(rows, admission);
  if (rows.holds.has(request.requestId) || rows.ended.has(request.requestId)) throw idUsed(request.requestId);
  const used = usedBy(request, wantedTokens);
  let grantedTokens = Math.min(wantedTokens, affordableAtRates(request.price, used, account.availableMicro));
  if (grantedTokens < leastTokens) throw insufficientCredit(account, request, leastTokens);
  for (const budget of budgets) {
    const row = windowOf(rows, request.keyId, budget.window);
    const left = budget.amountMicro - row.usedMicro - row.heldMicro;
    grantedTokens = Math.min(grantedTokens, affordableAtRates(request.price, used, left));
    if (grantedTokens < leastTokens) throw overKeyBudget(budget, row, account.currency);
  }
  const heldMicro = boundMicro(request.price, { ...used, completionTokens: grantedTokens });
  hold(rows, account, request, heldMicro);
  rows.holds.set(request.requestId, { heldMicro, grantedTokens });
  return { grantedTokens, heldMicro };
}

/** Reserves up to `wantedTokens` in all, or as far as money and budgets go. Returns the whole reservation. */
export function extend(
  rows: Rows,
  request: HeldRequest,
  wantedTokens: number,
  budgets: AdmissionRequest['budgets'],
): Granted {
  const row = rows.holds.get(request.requestId);
  // A node that took this one for dead has voided the hold: nothing more is reserved.
  if (row === undefined) return { grantedTokens: request.grantedTokens, heldMicro: request.heldMicro };
  const account = present(rows.accounts.get(request.accountId), 'the account of a hold is locked with it');
  const used = usedBy(request, wantedTokens);
  const most = (left: bigint): number => affordableAtRates(request.price, used, left + row.heldMicro);
  let grantedTokens = Math.min(wantedTokens, most(account.availableMicro));
  for (const { window, amountMicro } of budgets) {
    const { usedMicro, heldMicro } = windowOf(rows, request.keyId, window);
    grantedTokens = Math.min(grantedTokens, most(amountMicro - usedMicro - heldMicro));
  }
  if (grantedTokens <= row.grantedTokens) return { ...row };
  const heldMicro = boundMicro(request.price, { ...used, completionTokens: grantedTokens });
  hold(rows, account, request, heldMicro - row.heldMicro);
  Object.assign(row, { heldMicro, grantedTokens });
  return { grantedTokens, heldMicro };
}

/** Ends a request, once. Cost beyond its reservation is charged as far as the account goes. */
export function settle(rows: Rows, settlement: Settlement): Settled {
  const { requestId, state, costMicro, isDoubtful = false } = settlement;
  const before = rows.ended.get(requestId);
  const held = rows.holds.get(requestId)?.heldMicro;
  if (isDoubtful && held === undefined) return UNCHANGED;
  const account = present(rows.accounts.get(settlement.accountId), 'the account of a settlement is locked');
  if (before === 'settled' || before === state) {
    // Nothing is charged twice. A hold that is still there has no owner, and is freed.
    free(rows, account, settlement, held ?? 0n);
    return UNCHANGED;
  }
  const covered = release(rows, account, settlement, held ?? 0n);
  const surplus = costMicro - covered;
  const extra = surplus < account.availableMicro ? surplus : account.availableMicro;
  account.availableMicro -= extra;
  const chargedMicro = covered + extra;
  for (const window of settlement.windows) {
    const row = windowOf(rows, settlement.keyId, window);
    row.usedMicro += chargedMicro;
    row.heldMicro -= held ?? 0n;
  }
  rows.holds.delete(requestId);
  rows.ended.set(requestId, state);
  return { chargedMicro, unchargedMicro: surplus - extra, isNew: before === undefined, isLate: before !== undefined };
}

/** Moves up to a `part`th of an account's money to a node's allowance. Returns 0 if that is below the least. */
export function takeAllowance(rows: Rows, step: Extract<AllowanceStep, { readonly kind: 'take' }>): bigint {
  const { nodeId, accountId, wantedMicro, leastMicro, part } = step;
  const account = present(rows.accounts.get(accountId), 'the account of an allowance is locked');
  const taken = smaller(wantedMicro, account.availableMicro / part);
  if (taken <= 0n || taken < leastMicro || account.state !== 'active') return 0n;
  account.availableMicro -= taken;
  account.heldMicro += taken;
  const row = rows.allowances.get(`${nodeId} ${accountId}`);
  if (row === undefined) rows.allowances.set(`${nodeId} ${accountId}`, { amountMicro: taken });
  else row.amountMicro += taken;
  return taken;
}

/** Returns unspent money of a node's allowance to its account, at most the money that the allowance still has. */
export function giveAllowance(rows: Rows, nodeId: string, accountId: string, amountMicro: bigint): void {
  const row = rows.allowances.get(`${nodeId} ${accountId}`);
  const account = rows.accounts.get(accountId);
  if (row === undefined || account === undefined) return;
  const given = amountMicro < row.amountMicro ? amountMicro : row.amountMicro;
  row.amountMicro -= given;
  account.heldMicro -= given;
  account.availableMicro += given;
}

/** Frees the hold of a request that ended before. */
function free(rows: Rows, account: AccountRow, { requestId, keyId, windows }: Settlement, held: bigint): void {
  account.heldMicro -= held;
  account.availableMicro += held;
  for (const window of windows) windowOf(rows, keyId, window).heldMicro -= held;
  rows.holds.delete(requestId);
}

/** Ends a reservation. Returns the part of the cost that it covers, which has then left the account. */
function release(rows: Rows, account: AccountRow, settlement: Settlement, held: bigint): bigint {
  const { costMicro, fromAllowance } = settlement;
  if (fromAllowance === undefined) {
    const covered = costMicro < held ? costMicro : held;
    account.heldMicro -= held;
    account.availableMicro += held - covered;
    return covered;
  }
  const allowance = rows.allowances.get(`${fromAllowance.nodeId} ${settlement.accountId}`);
  const most = smaller(smaller(costMicro, fromAllowance.heldMicro), allowance?.amountMicro ?? 0n);
  if (allowance !== undefined) allowance.amountMicro -= most;
  account.heldMicro -= most;
  return most;
}

function hold(rows: Rows, account: AccountRow, request: HeldRequest, amount: bigint): void {
  account.availableMicro -= amount;
  account.heldMicro += amount;
  for (const window of request.windows) windowOf(rows, request.keyId, window).heldMicro += amount;
}

function openAccount(rows: Rows, { request }: AdmissionRequest): AccountRow {
  const account = rows.accounts.get(request.accountId);
  if (account === undefined || account.state !== 'active') {
    const message = `the account of this key is ${account?.state ?? 'gone'}; ask the operator`;
    throw new AppError('account_suspended', message, { accountId: request.accountId });
  }
  if (account.currency === request.currency) return account;
  const message = `${request.provider}/${request.model} is priced in ${request.currency}, and the account is in ${account.currency}; ask the operator`;
  throw new AppError('currency_mismatch', message, { accountId: account.id, currency: request.currency });
}

function windowOf(rows: Rows, keyId: string, window: string): WindowRow {
  return present(rows.windows.get(`${keyId} ${window}`), 'the windows of a key are read with it');
}

function usedBy(request: HeldRequest, completionTokens: number): Used {
  const { promptTokens, images, audios } = request;
  return { promptTokens, cachedTokens: 0, completionTokens, images, audios };
}

function idUsed(requestId: string): AppError {
  return new AppError('request_id_used', `a request with the id ${requestId} was there before`, { requestId });
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
