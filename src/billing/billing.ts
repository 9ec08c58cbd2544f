// The part of billing that the hosted API uses: accounts, their keys, prices, paid requests and the ledger.

import type { AuditBooks } from './audit.js';
import type { BudgetState, Hold, Outcome, RateState, Window } from '../metering/index.js';
import type { LedgerBooks } from './ledger/ledger-books.js';
import type { Page, PageQuery, TimeRange } from './pages.js';
import type {
  AccountKeyUse,
  Generation,
  Movements,
  RefusedRequest,
  RequestFilters,
  Traffic,
  TrafficQuery,
  AccountUsageQuery,
  UsageSum,
} from './usage/usage-views.js';

/** An account, which pays. Amounts are micro-units of its currency (1 unit = 1,000,000). */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Three letters of ISO 4217. An account has one currency, and prices in others cannot be charged to it. */
  readonly currency: string;
  readonly state: 'active' | 'suspended';
  /** Money that can be reserved now; never below zero. */
  readonly availableMicro: bigint;
  /** Money that requests under way have reserved. */
  readonly heldMicro: bigint;
  readonly createdAtMs: number;
}

/** Accounts, for their operator. Every change is in the audit log of `by`. */
export interface Accounts {
  /** Errors: `invalid_value`. */
  create(account: { readonly name: string; readonly currency: string }, by: string): Promise<Account>;
  /** Errors: `account_unknown`. */
  get(id: string): Promise<Account>;
  list(query: PageQuery): Promise<Page<Account>>;
  setState(id: string, state: Account['state'], by: string): Promise<Account>;
  /**
   * Adds money, or takes it with a negative amount, as one group of the ledger. `reference` (of an invoice or a
   * payment) is unique an account: a repeated credit changes nothing, and the result says so. Errors:
   * `account_unknown`, `invalid_value`, `payment_reference_used` (another amount or note), `balance_exceeded` (it would
   * fall below zero).
   */
  credit(id: string, credit: Credit, by: string): Promise<CreditedAccount>;
  /** Payments and refunds of an account, the newest first. Errors: `account_unknown`, `invalid_value`. */
  payments(id: string, query: PageQuery & TimeRange): Promise<Page<Payment>>;
  /** Changes of an account's balance in a range of whole days in UTC. Errors: `account_unknown`. */
  movements(id: string, range: Required<TimeRange>): Promise<Movements>;
}

/** Money that was booked to an account: below zero, it was returned. */
export interface Payment extends Required<Credit> {
  readonly id: string;
  readonly createdAtMs: number;
}

/** An account after a credit. */
export interface CreditedAccount extends Account {
  /** The same credit was booked before: nothing changed. */
  readonly wasBooked: boolean;
}

/** Money that an operator books to an account. */
export interface Credit {
  readonly amountMicro: bigint;
  readonly reference: string;
  readonly note?: string;
}

/** Limits of a key; all limits that are present apply together. */
export interface AccountKeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly parallelRequests?: number;
  /** Money a window, by settled usage and holds. */
  readonly budgets: readonly { readonly amountMicro: bigint; readonly window: Window }[];
  /** Providers (`openai`, `pgw/slug`) or models of them (`openai/gpt-5*`); null: all. */
  readonly models: readonly string[] | null;
}

/** A key of an account, without its secret. Only an HMAC-SHA256 of the secret is kept. */
export interface AccountKey {
  readonly id: string;
  readonly accountId: string;
  /** Of its account, which its budgets have. */
  readonly currency: string;
  /** The public prefix of the secret. */
  readonly prefix: string;
  readonly name: string;
  readonly state: 'active' | 'disabled';
  readonly limits: AccountKeyLimits;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** The sender of a request. */
export interface Caller {
  readonly key: AccountKey;
  readonly account: Pick<Account, 'id' | 'name' | 'currency' | 'state'>;
  /** Of the secret that was brought: an HMAC. A key has several in the grace of a rotation. */
  readonly secretHash: string;
  /** Until when an older secret of the key is taken; absent: it is the newest one. */
  readonly graceUntilMs?: number;
}

/** A key and its secret, which is shown once. */
export interface NewAccountKey {
  readonly key: AccountKey;
  readonly secret: string;
  readonly use: AccountKeyUse;
}

/** Keys of accounts. */
export interface AccountKeys {
  /** `secret` is shown once. Errors: `account_unknown`, `invalid_value`. */
  create(
    accountId: string,
    key: { readonly name: string; readonly limits: AccountKeyLimits; readonly expiresAtMs?: number },
    by: string,
  ): Promise<NewAccountKey>;
  /**
   * Gives a key a new secret. The one before stays valid for `graceMs`. Without a grace every older secret ends at
   * once, also one in the grace of an earlier rotation. `accountId` as for `setState`. Errors: `account_key_unknown`,
   * `invalid_value`.
   */
  rotate(id: string, graceMs: number, by: string, accountId?: string): Promise<NewAccountKey>;
  list(accountId: string, query: PageQuery): Promise<Page<AccountKey>>;
  /** `accountId` must be the key's own; an operator leaves it out. Errors: `key_unknown`. */
  setState(id: string, state: AccountKey['state'], by: string, accountId?: string): Promise<AccountKey>;
  /**
   * The caller with a secret. Answers from memory up to 30 s, or 60 s while the database is away. Errors:
   * `missing_api_key`, `invalid_api_key`, `expired_key`, `account_suspended`, `database_unavailable`.
   */
  authenticate(secret: string | undefined): Promise<Caller>;
  /** What keys of one account used, in their order. Errors: `database_unavailable`. */
  use(keys: readonly AccountKey[]): Promise<readonly AccountKeyUse[]>;
  /** The state of a key's budgets, in the currency of its account. Errors: `database_unavailable`. */
  budgets(caller: Caller): Promise<readonly BudgetState[]>;
  /**
   * Calls `listener` when a key, or one secret of it (`secretHash`), ends here or on another node. The returned function ends
   * that.
   */
  onEnded(listener: (keyId: string, secretHash: string | undefined) => void): () => void;
}

/** The price of a model, immutable. Nano-units (10^-9) of the currency: a token for tokens, a piece for the others. */
export interface Price {
  /** `openai`, or `pgw/<slug>` for a connected gateway. */
  readonly provider: string;
  readonly model: string;
  /** Counts from 1 for each provider and model. */
  readonly version: number;
  readonly effectiveFromMs: number;
  readonly currency: string;
  readonly inputNano: bigint;
  /** For prompt tokens from the upstream's cache. */
  readonly cachedInputNano: bigint;
  /** Of tokens of the prompt that the upstream put into a cache. */
  readonly cacheWriteNano: bigint;
  /** Thinking tokens are output. */
  readonly outputNano: bigint;
  readonly requestNano: bigint;
  readonly imageNano: bigint;
  readonly audioNano: bigint;
}

/** A price before it becomes a version. */
export type NewPrice = Omit<Price, 'version' | 'cacheWriteNano'> & {
  /** Absent: as other tokens of the prompt. */
  readonly cacheWriteNano?: bigint;
};

/** Prices. Versions are only added. */
export interface Prices {
  /** Adds a version of each that differs from the newest; all or none. Gives how many were added. Errors: `invalid_value`. */
  add(prices: readonly NewPrice[], by: string): Promise<number>;
  list(
    query: PageQuery & { readonly provider?: string; readonly model?: string; readonly all?: boolean },
  ): Promise<Page<Price>>;
  /** The version in force at `atMs`, from memory (at most 30 s old). Undefined: the model has no price. */
  current(provider: string, model: string, atMs: number): Promise<Price | undefined>;
}

/** A request to reserve money for, before it is sent to its upstream. */
export interface PaidRequest {
  /** UUIDv7, made at the edge. */
  readonly requestId: string;
  readonly caller: Caller;
  readonly provider: string;
  readonly model: string;
  /** The snapshot that the request is charged by. */
  readonly price: Price;
  /** No prompt has more tokens. */
  readonly promptTokensBound: number;
  readonly images: number;
  readonly audios: number;
  /** The most completion tokens of all choices. Absent: reserved in slices, and the answer is cut where money ends. */
  readonly outputTokensBound?: number;
  /** An answer that cannot be cut (no stream) is reserved to its bound at once. */
  readonly isWhole: boolean;
  /** The client's own key of the request, unique an account for 24 h. */
  readonly idempotencyKey?: string;
}

/** How a paid request ended. One that did not begin and used nothing is not charged. */
export interface PaidOutcome extends Outcome {
  readonly status: number;
  readonly durationMs: number;
  readonly firstByteMs: number | null;
  readonly end: 'whole' | 'failed' | 'left' | 'cut';
}

/**
 * A reservation, as metering's: `settle` ends it, once, on every exit, resolves when usage and ledger have it or the outbox has it
 * on the disk, and never rejects.
 */
export interface PaidHold extends Hold<PaidOutcome> {
  /** The limits a minute of the key now, as this node knows them; of a limit that nodes divide, this node's part. */
  rates(): RateState;
}

/** Requests that cost money. */
export interface PaidRequests {
  /**
   * Reserves by limits of the key and money of the account, in one step. Errors: `rate_limit_exceeded`, `budget_exceeded`,
   * `insufficient_credit`, `idempotency_key_used` (`details.requestId`, `details.state`), `currency_mismatch`,
   * `database_unavailable`.
   */
  admit(request: PaidRequest): Promise<PaidHold>;
  /** Only of `accountId`. Errors: `request_unknown`. */
  generation(accountId: string, requestId: string): Promise<Generation>;
  /** The newest first; of every account if none is named. Requests under way are absent. */
  list(accountId: string | undefined, query: PageQuery & RequestFilters): Promise<Page<Generation>>;
  /**
   * Of whole days in UTC; of every account where none is named. By day in the order of days, otherwise the dearest first.
   * Errors: `invalid_value` where the range is too long, or the sums are too many.
   */
  usage(accountId: string | undefined, query: AccountUsageQuery): Promise<readonly UsageSum[]>;
  /** How many requests there were in each step of a time, how they ended, how long they took, and what they cost. */
  traffic(query: TrafficQuery): Promise<Traffic>;
  /** Counts a request that was not admitted. It is in the database within some seconds; a process that is killed loses it. */
  noteRefused(request: RefusedRequest): void;
}

/** A lease of a singleton among nodes, with a fencing epoch that only grows. */
export interface Lease {
  readonly name: string;
  readonly epoch: bigint;
  /** Whether it is still ours: to be asked before each write. */
  isHeld(): boolean;
  release(): Promise<void>;
}

/** Leases. With SQLite this process always holds them. */
export interface Leases {
  /** Undefined: another node holds it. It renews itself until it is released or lost. */
  acquire(name: string): Promise<Lease | undefined>;
}

/** Requests of a node. */
export interface BillingCounts {
  /** Under way. */
  readonly open: number;
  readonly settled: number;
  readonly voided: number;
  /** Settled after they were voided. */
  readonly late: number;
  /** Requests that cost more than their hold and than the account had. */
  readonly uncharged: number;
  /** Nodes that live, this one included. */
  readonly nodes: number;
}

/** Billing on one database. */
export interface Billing extends AsyncDisposable {
  readonly accounts: Accounts;
  readonly keys: AccountKeys;
  readonly prices: Prices;
  readonly requests: PaidRequests;
  readonly ledger: LedgerBooks;
  readonly leases: Leases;
  /** The author of each change. Entries are immutable. */
  readonly audit: AuditBooks;
  /** Settlements that wait on the disk for the database. */
  readonly outboxDepth: number;
  /** Counts of this node since its start, for metrics. */
  readonly counts: BillingCounts;
  /** Sweeps expired holds, replays the outbox, rolls up usage: once, as its timers do. For tests and `ledger` commands. */
  tick(): Promise<void>;
}
