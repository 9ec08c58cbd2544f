import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { invalidValue, every, releaseMemory, type Clock, type FileLock, type LogEntry } from '../base/index.js';
import type { AdminToken } from './admin-token/admin-token.js';
import type { AuditActor } from './audit/audit-entry.js';
import type { AuditLog } from './audit/audit-log.js';
import { resetBudgets, type BudgetChoice } from './budget-resets.js';
import { copyDatabases } from './database/backup.js';
import type { WriteCommitter } from './database/committer.js';
import type { ForgivenTable } from './database/forgiven-table.js';
import type { LoggedRequest, RequestQuery, RequestRow } from './database/request-table.js';
import type { DatabaseSettings } from './database/settings.js';
import type { UsageSums } from './database/usage-sums.js';
import type { UsageQuery, UsageRow } from './database/usage-table.js';
import type { Hold } from './holds/hold.js';
import { openLocalHold, type HoldContext } from './holds/local-hold.js';
import { KeyKeeper, type NewVirtualKey } from './keys/key-keeper.js';
import { KeyList, type AuthenticatedKey, type KeyEndListener } from './keys/key-list.js';
import type { KeyDefinition, KeyLimits, KeyRecord, KeyState } from './keys/key-record.js';
import type { KeyRules, KeyTable } from './keys/key-table.js';
import type { AdmitRequest, Charge, HoldRecord } from './ledger/hold-record.js';
import { Ledger, type Instant, type UsedRow } from './ledger/ledger.js';
import { LAST_USE_MS, MAX_ROWS, RELEASE_FROM_KEYS, SWEEP_MS, TICK_MS } from './limits.js';
import type { KeyUsage, Meter, MeterAudit, MeterStorage, RateLimitState, RateState, Recovered } from './meter.js';
import { MeterPages } from './meter-pages.js';
import { withRates } from './rate-details.js';
import { RequestLog } from './request-log.js';
import type { Tables } from './holds/recover.js';
import type { RollupTable } from './rollups/rollup-table.js';
import { Rollups } from './rollups/rollups.js';
import type { SpendTable } from './rollups/spend-table.js';
import type { Store } from '../database/index.js';
import { sweepRetention } from './sweep.js';
import { amountsOf, budgetLimitOf, usedOf } from './ledger/key-account.js';
import type { SlidingWindow } from './ledger/sliding-window.js';
import { windowEndMs } from './window.js';

/** The parts of a meter; it disposes of all of them. */
export interface MeterParts {
  readonly lock: FileLock;
  readonly store: Store;
  readonly auditStore: Store;
  readonly tables: Tables & {
    readonly keys: KeyTable;
    readonly forgiven: ForgivenTable;
    readonly rollups: RollupTable;
    readonly spend: SpendTable;
    readonly sums: UsageSums;
  };
  readonly settings: DatabaseSettings;
  readonly adminToken: AdminToken;
  readonly directory: string;
  /** The version of SQLite. */
  readonly sqlite: string;
  readonly recovered: Recovered;
  readonly committer: WriteCommitter;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  readonly sliceTokens: number;
  readonly retention: { readonly requestDays: number; readonly auditDays: number };
  readonly onRequest: ((row: RequestRow) => void) | undefined;
}

/** A meter in the thread that has its databases open. */
export class LocalMeter implements Meter {
  readonly recovered: Recovered;
  readonly audit: MeterAudit;
  readonly adminToken: AdminToken;
  readonly pages: MeterPages;
  readonly rollups: Rollups;
  readonly #parts: MeterParts;
  readonly #ledger: Ledger;
  readonly #keys: KeyList;
  readonly #keeper: KeyKeeper;
  readonly #requestLog: RequestLog;
  readonly #holdContext: HoldContext;
  #sweeping: Promise<void> = Promise.resolve();
  #isClosing = false;
  readonly #timers: readonly (() => void)[];

  constructor(parts: MeterParts) {
    const { store, tables, settings, committer, audit, adminToken, clock, now, log, sliceTokens } = parts;
    this.#parts = parts;
    this.adminToken = adminToken;
    this.recovered = parts.recovered;
    this.audit = audit;
    const readUsed = (day: number): Iterable<UsedRow> => {
      // Waiting writes first: no settled usage is missed.
      committer.flush();
      return tables.sums.used(day);
    };
    this.#ledger = new Ledger(sliceTokens, now(), readUsed, () => tables.forgiven.all());
    this.#keys = new KeyList(now, log);
    this.#keeper = new KeyKeeper({
      list: this.#keys,
      table: tables.keys,
      committer,
      audit,
      now,
      onLimits: ({ id, limits }) => this.#ledger.setLimits(id, limits),
    });
    // Opening reads several times more than it keeps.
    if (this.#keys.size >= RELEASE_FROM_KEYS) releaseMemory();
    this.#requestLog = new RequestLog(tables.requests, committer, log, parts.onRequest);
    this.#holdContext = {
      ledger: this.#ledger,
      committer,
      table: tables.holds,
      instant: () => this.#instant(),
      sliceTokens,
      charge: (hold, charge) => this.#charge(hold, charge),
    };
    const { requests, rollups: table, spend } = tables;
    this.rollups = new Rollups({ table, spend, settings, committer, clock, now, log });
    this.pages = new MeterPages({ store, requests, committer, keys: this.#keys, ledger: this.#ledger, now });
    this.#timers = [
      every(TICK_MS, clock, () => {
        this.#keys.tick();
        adminToken.look();
      }),
      every(LAST_USE_MS, clock, () => this.#writeLastUses()),
      every(SWEEP_MS, clock, () => this.#startSweep()),
    ];
    this.#startSweep();
  }

  setFileKeys(keys: readonly KeyDefinition[]): void {
    this.#keeper.setFileKeys(keys);
  }

  authenticate(secret: string): AuthenticatedKey {
    return this.#keys.authenticate(secret);
  }

  keys(): readonly KeyRecord[] {
    return this.#keys.records();
  }

  createKey(rules: KeyRules, by: AuditActor): Promise<NewVirtualKey> {
    return this.#keeper.createKey(rules, by);
  }

  rotateKey(id: string, graceMs: number, by: AuditActor): Promise<NewVirtualKey> {
    return this.#keeper.rotateKey(id, graceMs, by);
  }

  updateKey(id: string, change: Partial<KeyRules>, by: AuditActor): Promise<KeyRecord> {
    return this.#keeper.updateKey(id, change, by);
  }

  setKeyState(id: string, state: Exclude<KeyState, 'expired'>, by: AuditActor): Promise<KeyRecord> {
    return this.#keeper.setKeyState(id, state, by);
  }

  async resetBudgets(id: string, choice: BudgetChoice, by: AuditActor): Promise<KeyRecord> {
    const { tables, committer, audit, now } = this.#parts;
    const options = { ledger: this.#ledger, table: tables.forgiven, committer, audit, now };
    await resetBudgets(options, this.#keys.record(id), choice, by);
    return this.#keys.record(id);
  }

  async admit(request: AdmitRequest): Promise<Hold> {
    const { committer, tables, now } = this.#parts;
    this.#keys.use(request.keyId);
    if (committer.failure !== undefined) throw committer.failure;
    const record = this.#admit(request);
    try {
      await committer.write(() => tables.holds.insert(record, this.#ledger.day, Math.floor(now())));
    } catch (error) {
      this.#ledger.undo(record, this.#instant());
      throw error;
    }
    return openLocalHold(this.#holdContext, record);
  }

  limitState(keyId: string): RateState {
    return readRateState(this.#ledger, keyId, this.#keys.record(keyId).limits, this.#parts.clock.nowMs());
  }

  usageOf(keyId: string): KeyUsage {
    return readKeyUsage(this.#ledger, keyId, this.#keys.record(keyId).limits, this.#parts.now());
  }

  onKeyEnded(listener: KeyEndListener): () => void {
    return this.#keys.onEnded(listener);
  }

  onKeysChanged(listener: () => void): () => void {
    return this.#keys.onChanged(listener);
  }

  usage(query: UsageQuery): readonly UsageRow[] {
    this.#parts.committer.flush();
    return this.#parts.tables.usage.query(query);
  }

  requests(query: RequestQuery): readonly LoggedRequest[] {
    const { limit } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ROWS) {
      throw invalidValue('limit', limit, `a whole number from 1 to ${MAX_ROWS}`);
    }
    this.#parts.committer.flush();
    return this.#parts.tables.requests.query(query);
  }

  recordRequest(row: RequestRow): void {
    this.#requestLog.add(row);
  }

  async backup(directory: string): Promise<void> {
    const { committer, store, auditStore } = this.#parts;
    committer.flush();
    await copyDatabases(directory, { store, auditStore });
    await this.adminToken.copyTo(directory);
  }

  storage(): Promise<MeterStorage> {
    return readStorage(this.#parts.directory, this.#parts.sqlite);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { committer, store, auditStore, lock, log } = this.#parts;
    for (const stop of this.#timers) stop();
    this.#isClosing = true;
    await this.#sweeping;
    await this.rollups.close();
    this.#writeLastUses();
    if (!committer.close()) log({ event: 'usage lost', reason: 'the meter was closed while nothing could be written' });
    store.close();
    auditStore.close();
    await lock[Symbol.asyncDispose]();
  }

  /** A refusal states what the key has left. */
  #admit(request: AdmitRequest): HoldRecord {
    try {
      return this.#ledger.admit(request, this.#instant());
    } catch (error) {
      throw withRates(error, this.limitState(request.keyId));
    }
  }

  #instant(): Instant {
    return { monotonicMs: this.#parts.clock.nowMs(), unixMs: this.#parts.now() };
  }

  #charge(hold: HoldRecord, charge: Charge): { readonly run: () => void } {
    const { keyId, model, requestId } = hold;
    const { unchargedTokens, unchargedMicro } = charge;
    if (unchargedTokens > 0 || unchargedMicro > 0n) {
      this.#parts.log({
        event: 'usage beyond every budget',
        request_id: requestId,
        key_id: keyId,
        tokens: unchargedTokens,
        amount_micro: String(unchargedMicro),
      });
    }
    const { day } = this.#ledger;
    const atMs = this.#parts.now();
    return { run: () => this.#parts.tables.usage.add({ day, keyId, model, charge, atMs }) };
  }

  #writeLastUses(): void {
    const { committer, tables } = this.#parts;
    for (const [id, atMs] of this.#keys.takeUsed()) {
      // Not worth waiting for: the next use is written again.
      committer.add({ run: () => tables.keys.setLastUsed(id, Math.floor(atMs)), refused: () => {} });
    }
  }

  /** One after the other; a meter that closes waits for the batch that is under way. */
  #startSweep(): void {
    const { audit, committer, tables, retention, now, log } = this.#parts;
    const isStopped = (): boolean => this.#isClosing;
    this.#sweeping = this.#sweeping.then(() =>
      isStopped()
        ? undefined
        : sweepRetention({ audit, committer, tables, rollups: this.rollups, retention, nowMs: now(), log, isStopped }),
    );
  }
}

/** The files of a data directory. A file that disappears in between is left out. */
async function readStorage(directory: string, sqlite: string): Promise<MeterStorage> {
  const names = await readdir(directory).catch(() => []);
  const sized = names.map(async (name) => {
    const found = await stat(join(directory, name)).catch(() => undefined);
    return found?.isFile() === true ? [{ name, sizeBytes: found.size }] : [];
  });
  return { sqlite, files: (await Promise.all(sized)).flat() };
}

/** The usage of a key's budgets now. */
function readKeyUsage(ledger: Ledger, keyId: string, { budgets }: KeyLimits, unixMs: number): KeyUsage {
  ledger.moveTo(unixMs);
  const account = ledger.account(keyId);
  return {
    runningRequests: account.running,
    budgets: budgets.map((budget) => {
      const resetsAtMs = windowEndMs(budget.window, ledger.day);
      return {
        ...('currency' in budget && { currency: budget.currency }),
        window: budget.window,
        limit: budgetLimitOf(budget),
        used: usedOf(account, budget),
        held: amountsOf(account, budget).held,
        ...(resetsAtMs !== undefined && { resetsAtMs }),
      };
    }),
  };
}

/** The state of a key's limits a minute. */
function readRateState(ledger: Ledger, keyId: string, limits: KeyLimits, monotonicMs: number): RateState {
  const { requestsPerMinute, tokensPerMinute } = limits;
  const { requestsOfMinute, tokensOfMinute } = ledger.account(keyId);
  const toRate = (limit: number, window: SlidingWindow): RateLimitState => ({
    limit,
    remaining: Math.max(0, limit - window.sum(monotonicMs)),
    resetMs: window.waitMs(0, monotonicMs),
  });
  return {
    ...(requestsPerMinute !== undefined && { requests: toRate(requestsPerMinute, requestsOfMinute) }),
    ...(tokensPerMinute !== undefined && { tokens: toRate(tokensPerMinute, tokensOfMinute) }),
  };
}
