// Metering as the gateway and the hosted API see it.

import type { AuditActor, AuditEntry, AuditEvent } from './audit/audit-entry.js';
import type { AdminToken } from './admin-token/admin-token.js';
import type { AuditIntent } from './audit/audit-intents.js';
import type { AuditEnd, AuditQuery, ActionOutcome } from './audit/audit-log.js';
import type { AuditCheck } from './audit/walk-entries.js';
import type { AuditPage, AuditPageQuery } from './audit/audit-pages.js';
import type { BudgetChoice } from './budget-resets.js';
import type { LoggedRequest, RequestQuery, RequestRow } from './database/request-table.js';
import type { UsageQuery, UsageRow } from './database/usage-table.js';
import type { Hold } from './holds/hold.js';
import type { KeyEndListener, AuthenticatedKey } from './keys/key-list.js';
import type { NewVirtualKey } from './keys/key-keeper.js';
import type { KeyDefinition, KeyRecord, KeyState } from './keys/key-record.js';
import type { KeyRules } from './keys/key-table.js';
import type { AdmitRequest } from './ledger/hold-record.js';
import type { MeterPages } from './meter-pages.js';
import type { Rollups } from './rollups/rollups.js';
import type { Window } from './window.js';

/** The state of a limit a minute, for `x-ratelimit-*` headers. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the limit is whole again, if no more requests come. */
  readonly resetMs: number;
}

/** The limits a minute of a key; absent: no such limit. */
export interface RateState {
  readonly requests?: RateLimitState;
  readonly tokens?: RateLimitState;
}

/** The state of a budget: tokens, or micro-units of a currency. */
export interface BudgetState {
  /** Absent: the budget is in tokens. */
  readonly currency?: string;
  readonly window: Window;
  readonly limit: bigint;
  readonly used: bigint;
  /** By requests that are under way. */
  readonly held: bigint;
  /** Absent: never. */
  readonly resetsAtMs?: number;
}

/** Usage of a key now. */
export interface KeyUsage {
  readonly runningRequests: number;
  readonly budgets: readonly BudgetState[];
}

/** Counts of the reservations of a dead process that opening ended. */
export interface Recovered {
  /** Requests whose answers had begun: charged their reservations, as an estimate. */
  readonly settled: number;
  readonly voided: number;
}

/** Keys, reservations, usage and the audit log, in one directory that one process owns. */
export interface Meter extends AsyncDisposable {
  readonly recovered: Recovered;
  /** Sets the keys of the file, at start and after a change. Keys that left the file end. */
  setFileKeys(keys: readonly KeyDefinition[]): void;
  /**
   * The key of a secret, from memory. Clients cannot distinguish unknown, disabled and revoked keys; `details.reason`
   * distinguishes them. Errors: `missing_api_key`, `invalid_api_key`, `expired_key`.
   */
  authenticate(secret: string): AuthenticatedKey;
  /** Every key, of the file and of the database. */
  keys(): readonly KeyRecord[];
  /** Makes a key. Errors: `invalid_value`, `audit_unavailable`, `metering_unavailable`. */
  createKey(rules: KeyRules, by: AuditActor): Promise<NewVirtualKey>;
  /** Gives a key another secret; the old one is taken for `graceMs` more. Errors: as above, and `key_unknown`. */
  rotateKey(id: string, graceMs: number, by: AuditActor): Promise<NewVirtualKey>;
  /** Changes the limits of a key of the database. Errors: as above, and `key_unknown`. */
  updateKey(id: string, change: Partial<KeyRules>, by: AuditActor): Promise<KeyRecord>;
  /** Disables, enables or revokes a key. Errors: as above. */
  setKeyState(id: string, state: Exclude<KeyState, 'expired'>, by: AuditActor): Promise<KeyRecord>;
  /**
   * Resets budgets of a key: those of a window and a unit, or all. Recorded usage stays. Errors: `key_unknown`,
   * `invalid_value`, `audit_unavailable`, `metering_unavailable`.
   */
  resetBudgets(id: string, choice: BudgetChoice, by: AuditActor): Promise<KeyRecord>;
  readonly adminToken: AdminToken;
  /**
   * Reserves before a request is dispatched, by all limits of its key in one step; resolves when that is durable. Errors:
   * `rate_limit_exceeded`, `budget_exceeded`, `metering_unavailable`, `invalid_api_key`, `expired_key`, `invalid_value`.
   */
  admit(request: AdmitRequest): Promise<Hold>;
  /** Errors: `key_unknown`. */
  limitState(keyId: string): RateState;
  /** Errors: `key_unknown`. */
  usageOf(keyId: string): KeyUsage;
  /**
   * Calls `listener` when a key ends: disabled, revoked, expired, or removed from the file. With a hash only requests
   * by that secret end, since its grace is over. The returned function stops the calls.
   */
  onKeyEnded(listener: KeyEndListener): () => void;
  /** Calls `listener` when the list of keys is another. The returned function ends that. */
  onKeysChanged(listener: () => void): () => void;
  /** Usage by key, model or day. */
  usage(query: UsageQuery): readonly UsageRow[];
  /** The request log. */
  requests(query: RequestQuery): readonly LoggedRequest[];
  /** Puts a row into the request log, soon; dropped and counted when too many wait. */
  recordRequest(row: RequestRow): void;
  readonly audit: MeterAudit;
  /** Keys, requests and usage by filters, page by page. */
  readonly pages: MeterPages;
  /** Sums of the request log by minute, hour and day, with the money spent. */
  readonly rollups: MeterRollups;
  /** The files of the meter and their sizes in bytes, and which SQLite it has. */
  storage(): Promise<MeterStorage>;
  /** Copies both databases into a new directory of mode 0700, which a meter can open. Errors: those of files. */
  backup(directory: string): Promise<void>;
}

/** Disk usage of a meter. */
export interface MeterStorage {
  readonly sqlite: string;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
}

/** Rollups as they are read. */
export type MeterRollups = Pick<Rollups, 'refresh' | 'roll' | 'spans' | 'parts' | 'spend' | 'isComplete'>;

/** The audit log. */
export interface MeterAudit {
  /** Resolves when the entry is on the disk. Errors: `audit_unavailable`. */
  append(event: AuditEvent): Promise<void>;
  /**
   * Runs `work` with one entry of its outcome: by `endOf`, or `ok` and `failed`. Errors: `audit_unavailable` before
   * `work` ran; those of `work`.
   */
  during<T>(event: AuditIntent, work: () => T | Promise<T>, endOf?: (ended: ActionOutcome<T>) => AuditEnd): Promise<T>;
  verify(): Promise<AuditCheck>;
  read(query: AuditQuery): readonly AuditEntry[];
  /** By filters, the newest first. */
  page(query: AuditPageQuery): AuditPage;
}
