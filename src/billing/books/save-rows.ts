import type { NewRow, Queries } from '../../database/index.js';
import { groupsOf, type NewGroup } from '../ledger/groups.js';
import {
  ACCOUNT,
  ALLOWANCE,
  HOLD,
  IDEMPOTENCY,
  KEY_WINDOW,
  LEDGER_TABLE,
  LEDGER_PENDING,
  USAGE,
} from '../schema/tables.js';
import type { AdmissionRequest } from './admission.js';
import type { LoadedRows } from './load-rows.js';
import type { Settlement } from './settlement.js';
import type { RunOptions, Settled, AccountStep, StepResult } from './step.js';

/** The numbers before a batch, to find the changes. */
export interface Snapshot {
  readonly accounts: ReadonlyMap<string, { readonly availableMicro: bigint; readonly heldMicro: bigint }>;
  readonly holds: ReadonlyMap<string, { readonly heldMicro: bigint; readonly grantedTokens: number }>;
  readonly windows: ReadonlyMap<string, { readonly usedMicro: bigint; readonly heldMicro: bigint }>;
  readonly allowances: ReadonlyMap<string, { readonly amountMicro: bigint }>;
}

/** The rows and results of a batch. */
export interface Done extends RunOptions {
  readonly steps: readonly AccountStep[];
  readonly results: ReadonlyMap<AccountStep, StepResult>;
  readonly rows: LoadedRows;
  readonly before: Snapshot;
}

/** The numbers of rows as they are now. */
export function takeSnapshot({ accounts, holds, windows, allowances }: LoadedRows): Snapshot {
  return { accounts: copy(accounts), holds: copy(holds), windows: copy(windows), allowances: copy(allowances) };
}

/** Writes the changes. `isSent`: all statements are sent, and COMMIT can follow without waiting. */
export function saveRows(queries: Queries, done: Done): { readonly isSent: boolean; readonly done: Promise<unknown> } {
  const settled = settledOf(done);
  // Each of these has statements that wait for others of it.
  const waits = settled.some(({ settled: { isNew } }) => !isNew) || done.steps.some(hasFirstUse);
  const saving = Promise.all([
    saveAccounts(queries, done),
    saveHolds(queries, done),
    saveWindows(queries, done),
    saveAllowances(queries, done),
    saveFirstUses(queries, done),
    saveUsage(queries, settled),
    saveGroups(queries, settled.map(({ settlement, settled: one }) => groupsOf(settlement, one.chargedMicro)).flat()),
  ]);
  return { isSent: !waits, done: saving };
}

function hasFirstUse(step: AccountStep): boolean {
  return step.kind === 'admit' && step.admission.idempotencyKey !== undefined;
}

/** Writes groups of the ledger, which join the chain later. */
export async function saveGroups(queries: Queries, groups: readonly NewGroup[]): Promise<void> {
  const lines = groups.flatMap(({ lines: its, ...group }) =>
    its.map((line, i) => ({
      group_id: group.id,
      line: i,
      kind: group.kind,
      account_id: group.accountId,
      reference: group.reference,
      currency: group.currency,
      from_account: line.from,
      to_account: line.to,
      amount_micro: line.amountMicro,
      note: group.note,
      created_at_ms: group.createdAtMs,
    })),
  );
  await Promise.all([
    queries.insert(LEDGER_TABLE, lines),
    queries.insert(
      LEDGER_PENDING,
      groups.map(({ id }) => ({ group_id: id })),
    ),
  ]);
}

interface Ended {
  readonly settlement: Settlement;
  readonly settled: Settled;
}

function settledOf({ steps, results }: Done): readonly Ended[] {
  return steps.flatMap((step) => {
    const result = results.get(step);
    if (step.kind !== 'settle' || result?.kind !== 'settled') return [];
    const { settled } = result;
    return settled.isNew || settled.isLate ? [{ settlement: step.settlement, settled }] : [];
  });
}

async function saveAccounts(queries: Queries, { rows, before }: Done): Promise<void> {
  const changed = [...rows.accounts].flatMap(([id, { availableMicro, heldMicro }]) => {
    const was = before.accounts.get(id);
    if (was === undefined) return [];
    const [available_micro, held_micro] = [availableMicro - was.availableMicro, heldMicro - was.heldMicro];
    return available_micro === 0n && held_micro === 0n ? [] : [{ id, available_micro, held_micro }];
  });
  await queries.add(ACCOUNT, ['id'], changed);
}

async function saveHolds(queries: Queries, { steps, rows, before, nodeId }: Done): Promise<void> {
  const admitted = steps.flatMap((step) => (step.kind === 'admit' ? [step.admission] : []));
  const fresh = admitted.flatMap((admission) => {
    const { requestId } = admission.request;
    const row = before.holds.has(requestId) ? undefined : rows.holds.get(requestId);
    return row === undefined ? [] : [toHoldRow(admission, row, nodeId)];
  });
  const changed = [...rows.holds].flatMap(([request_id, { heldMicro, grantedTokens }]) => {
    const was = before.holds.get(request_id);
    if (was === undefined || was.grantedTokens === grantedTokens) return [];
    return [{ request_id, held_micro: heldMicro - was.heldMicro, granted_tokens: grantedTokens - was.grantedTokens }];
  });
  const gone = [...before.holds.keys()].filter((id) => !rows.holds.has(id));
  await Promise.all([
    queries.insert(HOLD, fresh),
    queries.add(HOLD, ['request_id'], changed),
    gone.length > 0 && queries.run('DELETE FROM hold WHERE request_id = ANY($1::text[])', gone),
  ]);
}

function toHoldRow(
  { request, expiresAtMs }: AdmissionRequest,
  { heldMicro, grantedTokens }: { readonly heldMicro: bigint; readonly grantedTokens: number },
  nodeId: string,
): NewRow<keyof typeof HOLD.columns> {
  return {
    request_id: request.requestId,
    account_id: request.accountId,
    key_id: request.keyId,
    node_id: nodeId,
    provider: request.provider,
    model: request.model,
    price_version: request.priceVersion,
    currency: request.currency,
    granted_tokens: grantedTokens,
    held_micro: heldMicro,
    windows: JSON.stringify(request.windows),
    created_at_ms: request.createdAtMs,
    expires_at_ms: expiresAtMs,
  };
}

async function saveWindows(queries: Queries, { rows, before }: Done): Promise<void> {
  const changed = [...rows.windows].flatMap(([place, { usedMicro, heldMicro }]) => {
    const was = before.windows.get(place);
    const [key_id = '', window = ''] = place.split(' ');
    const [kind = '', day = ''] = window.split(':');
    if (was === undefined) return [];
    const [used_micro, held_micro] = [usedMicro - was.usedMicro, heldMicro - was.heldMicro];
    if (used_micro === 0n && held_micro === 0n) return [];
    return [{ key_id, kind, start_day: Number.parseInt(day, 10), used_micro, held_micro }];
  });
  await queries.add(KEY_WINDOW, ['key_id', 'kind', 'start_day'], changed);
}

async function saveAllowances(queries: Queries, { rows, before }: Done): Promise<void> {
  const all = [...rows.allowances].map(([place, { amountMicro }]) => {
    const [node_id = '', account_id = ''] = place.split(' ');
    const was = before.allowances.get(place)?.amountMicro;
    return { isNew: was === undefined, row: { node_id, account_id, amount_micro: amountMicro - (was ?? 0n) } };
  });
  await Promise.all([
    queries.insert(
      ALLOWANCE,
      all.flatMap(({ isNew, row }) => (isNew ? [row] : [])),
    ),
    queries.add(
      ALLOWANCE,
      ['node_id', 'account_id'],
      all.flatMap(({ isNew, row }) => (isNew || row.amount_micro === 0n ? [] : [row])),
    ),
  ]);
}

async function saveFirstUses(queries: Queries, { steps, results, nowMs }: Done): Promise<void> {
  for (const step of steps) {
    if (step.kind !== 'admit' || results.get(step)?.kind !== 'granted') continue;
    const { idempotencyKey, request } = step.admission;
    if (idempotencyKey === undefined) continue;
    const { accountId, requestId } = request;
    const forget = 'DELETE FROM idempotency WHERE account_id = $1 AND idempotency_key = $2';
    await queries.run(forget, accountId, idempotencyKey);
    const row = {
      account_id: accountId,
      idempotency_key: idempotencyKey,
      request_id: requestId,
      created_at_ms: nowMs,
    };
    await queries.insert(IDEMPOTENCY, [row]);
  }
}

async function saveUsage(queries: Queries, ended: readonly Ended[]): Promise<void> {
  const rows = ended.map(({ settlement, settled }) => ({ isNew: settled.isNew, row: toUsageRow(settlement, settled) }));
  await queries.insert(
    USAGE,
    rows.flatMap(({ isNew, row }) => (isNew ? [row] : [])),
  );
  const late = rows.flatMap(({ isNew, row }) => (isNew ? [] : [row]));
  if (late.length === 0) return;
  // A row of usage changes in one case only: a voided request is settled after all.
  await queries.run(
    "DELETE FROM usage_row WHERE state = 'voided' AND request_id = ANY($1::text[])",
    late.map(({ request_id }) => request_id),
  );
  await queries.insert(USAGE, late);
}

function toUsageRow(one: Settlement, { chargedMicro, unchargedMicro }: Settled) {
  return {
    request_id: one.requestId,
    account_id: one.accountId,
    key_id: one.keyId,
    provider: one.provider,
    model: one.model,
    price_version: one.priceVersion,
    currency: one.currency,
    state: one.state,
    created_at_ms: one.createdAtMs,
    ended_at_ms: one.endedAtMs,
    prompt_tokens: one.promptTokens,
    cached_tokens: one.cachedTokens,
    cache_write_tokens: one.cacheWriteTokens,
    completion_tokens: one.completionTokens,
    reasoning_tokens: one.reasoningTokens,
    images: one.images,
    audios: one.audios,
    is_estimated: one.isEstimated ? 1 : 0,
    cost_micro: chargedMicro,
    uncharged_micro: unchargedMicro,
    status: one.status,
    duration_ms: one.durationMs,
    first_byte_ms: one.firstByteMs,
    end_kind: one.end,
  };
}

function copy<T extends object>(rows: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...rows].map(([key, row]) => [key, { ...row }]));
}
