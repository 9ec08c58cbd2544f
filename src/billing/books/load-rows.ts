import { amountOf, integerOf, textOf, type Queries, type Row } from '../../database/index.js';
import { KEY_WINDOW } from '../schema/tables.js';
import type { AccountRow, Rows, WindowRow } from './rows.js';
import type { AccountStep } from './step.js';

/** The first request with an `Idempotency-Key`. */
export interface FirstUse {
  readonly requestId: string;
  readonly state: string;
  readonly createdAtMs: number;
}

/** The rows that a batch reads. */
export interface LoadedRows extends Rows {
  readonly accounts: Map<string, AccountRow>;
  readonly windows: Map<string, WindowRow>;
  /** By `account key`. */
  readonly firstUses: Map<string, FirstUse>;
}

/** Reads and locks all rows of `steps`. A change of holds, windows or allowances locks the row of its account first. */
export async function loadRows(queries: Queries, steps: readonly AccountStep[]): Promise<LoadedRows> {
  // The queries are pipelined but run in order, so every read happens after the rows are locked.
  const [accounts, holds, ended, windows, allowances, firstUses] = await Promise.all([
    lockAccounts(queries, distinct(steps.map(accountOf))),
    loadHolds(queries, steps),
    loadEnded(queries, steps),
    loadWindows(queries, steps),
    loadAllowances(queries, steps),
    loadFirstUses(queries, steps),
  ]);
  return { accounts, holds, ended, windows, allowances, firstUses };
}

/** The account of a step. */
export function accountOf(step: AccountStep): string {
  switch (step.kind) {
    case 'admit':
      return step.admission.request.accountId;
    case 'extend':
      return step.request.accountId;
    case 'settle':
      return step.settlement.accountId;
    case 'take':
    case 'give':
      return step.accountId;
  }
}

/** Locks accounts in the order of their ids: two nodes then never wait for each other. */
async function lockAccounts(queries: Queries, ids: readonly string[]): Promise<Map<string, AccountRow>> {
  const sql =
    'SELECT id, currency, state, available_micro, held_micro FROM account WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE';
  const rows = await queries.all(sql, ids);
  return new Map(rows.map((row) => [read(row, 'id'), toAccount(row)]));
}

function toAccount(row: Row): AccountRow {
  return {
    id: read(row, 'id'),
    currency: read(row, 'currency'),
    state: read(row, 'state'),
    availableMicro: amountOf(row, 'available_micro'),
    heldMicro: amountOf(row, 'held_micro'),
  };
}

async function loadHolds(queries: Queries, steps: readonly AccountStep[]): Promise<LoadedRows['holds']> {
  const sql = 'SELECT request_id, held_micro, granted_tokens FROM hold WHERE request_id = ANY($1::text[])';
  const rows = await ifAny(requestsOf(steps), (ids) => queries.all(sql, ids));
  return new Map(
    rows.map((row) => {
      const grantedTokens = integerOf(row, 'granted_tokens');
      return [read(row, 'request_id'), { heldMicro: amountOf(row, 'held_micro'), grantedTokens }];
    }),
  );
}

async function loadEnded(queries: Queries, steps: readonly AccountStep[]): Promise<Map<string, string>> {
  const sql = 'SELECT request_id, state FROM usage_row WHERE request_id = ANY($1::text[])';
  const rows = await ifAny(requestsOf(steps), (ids) => queries.all(sql, ids));
  return new Map(rows.map((row) => [read(row, 'request_id'), read(row, 'state')]));
}

/** Windows are made when they are first used. */
async function loadWindows(queries: Queries, steps: readonly AccountStep[]): Promise<Map<string, WindowRow>> {
  const used = new Map(steps.flatMap((step) => windowsOf(step).map((one) => [`${one.keyId} ${one.window}`, one])));
  if (used.size === 0) return new Map();
  const fresh = [...used.values()].map(({ keyId, window }) => {
    const [kind = '', day = ''] = window.split(':');
    return { key_id: keyId, kind, start_day: Number.parseInt(day, 10), used_micro: 0, held_micro: 0 };
  });
  await queries.insert(KEY_WINDOW, fresh, true);
  const sql = 'SELECT key_id, kind, start_day, used_micro, held_micro FROM key_window WHERE key_id = ANY($1::text[])';
  const rows = await queries.all(sql, distinct(fresh.map(({ key_id }) => key_id)));
  return new Map(
    rows.map((row) => {
      const place = `${read(row, 'key_id')} ${read(row, 'kind')}:${integerOf(row, 'start_day')}`;
      return [place, { usedMicro: amountOf(row, 'used_micro'), heldMicro: amountOf(row, 'held_micro') }];
    }),
  );
}

async function loadAllowances(queries: Queries, steps: readonly AccountStep[]): Promise<LoadedRows['allowances']> {
  const accounts = steps.filter(isOnAllowance).map(accountOf);
  const sql = 'SELECT node_id, account_id, amount_micro FROM allowance WHERE account_id = ANY($1::text[])';
  const rows = await ifAny(distinct(accounts), (ids) => queries.all(sql, ids));
  return new Map(
    rows.map((row) => [
      `${read(row, 'node_id')} ${read(row, 'account_id')}`,
      { amountMicro: amountOf(row, 'amount_micro') },
    ]),
  );
}

async function loadFirstUses(queries: Queries, steps: readonly AccountStep[]): Promise<LoadedRows['firstUses']> {
  const keys = steps.flatMap((step) => (step.kind === 'admit' ? (step.admission.idempotencyKey ?? []) : []));
  const sql = `SELECT i.account_id, i.idempotency_key, i.request_id, i.created_at_ms, u.state FROM idempotency i
    LEFT JOIN usage_row u ON u.request_id = i.request_id
    WHERE i.account_id = ANY($1::text[]) AND i.idempotency_key = ANY($2::text[])`;
  const accounts = distinct(steps.map(accountOf));
  const rows = await ifAny(distinct(keys), (wanted) => queries.all(sql, accounts, wanted));
  return new Map(
    rows.map((row) => [
      `${read(row, 'account_id')} ${read(row, 'idempotency_key')}`,
      {
        requestId: read(row, 'request_id'),
        state: textOf(row, 'state') ?? 'running',
        createdAtMs: integerOf(row, 'created_at_ms'),
      },
    ]),
  );
}

function requestsOf(steps: readonly AccountStep[]): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'admit') return step.admission.request.requestId;
    if (step.kind === 'extend') return step.request.requestId;
    return step.kind === 'settle' ? step.settlement.requestId : [];
  });
}

function windowsOf(step: AccountStep): readonly { readonly keyId: string; readonly window: string }[] {
  const of = ({ keyId, windows }: { readonly keyId: string; readonly windows: readonly string[] }) =>
    windows.map((window) => ({ keyId, window }));
  if (step.kind === 'admit') return of(step.admission.request);
  if (step.kind === 'extend') return of(step.request);
  return step.kind === 'settle' ? of(step.settlement) : [];
}

function isOnAllowance(step: AccountStep): boolean {
  if (step.kind === 'settle') return step.settlement.fromAllowance !== undefined;
  return step.kind === 'take' || step.kind === 'give';
}

async function ifAny(ids: readonly string[], load: (ids: readonly string[]) => Promise<readonly Row[]>) {
  return ids.length === 0 ? [] : load(ids);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function read(row: Row, column: string): string {
  return textOf(row, column) ?? '';
}
