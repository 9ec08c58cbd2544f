// Billing on a database of its own, on a clock that the test moves.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogEntry } from '../../src/base/index.js';
import {
  createRequestId,
  openBilling,
  type AccountKeyLimits,
  type Billing,
  type BillingOptions,
  type Caller,
  type NewPrice,
  type PaidOutcome,
  type PaidRequest,
  type Price,
} from '../../src/billing/index.js';
import type { Database } from '../../src/database/index.js';
import { HandClock } from '../http/hand-clock.js';
import type { TestDatabases } from '../support/test-databases.js';

/** Thursday 2026-11-26, noon in UTC. */
export const NOON_MS = Date.UTC(2026, 10, 26, 12);
/** The key of every test. */
export const HMAC_KEY = new Uint8Array(32).fill(7);

/** Billing and what it runs on. */
export interface TestBilling extends AsyncDisposable {
  readonly billing: Billing;
  readonly database: Database;
  readonly directory: string;
  readonly clock: HandClock;
  readonly entries: LogEntry[];
  /** Milliseconds since 1970 are these and what the clock moved. */
  readonly wall: { ms: number };
  /** Closes billing and opens it on the same database. */
  reopen(): Promise<Billing>;
}

/** Opens one on a fresh database. */
export async function openTestBilling(
  databases: TestDatabases,
  options: Partial<BillingOptions> = {},
): Promise<TestBilling> {
  const database = options.database ?? (await databases.fresh());
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'billing-'));
  const clock = new HandClock();
  const entries: LogEntry[] = [];
  const wall = { ms: NOON_MS };
  const open = (): Promise<Billing> =>
    openBilling({
      database,
      directory,
      hmacKey: HMAC_KEY,
      clock,
      now: () => wall.ms + clock.nowMs(),
      log: (entry) => void entries.push(entry),
      // An account of a test is busy only where the test is about that.
      busyPerSecond: Infinity,
      ...options,
    });
  let billing = await open();
  return {
    database,
    directory,
    clock,
    entries,
    wall,
    get billing() {
      return billing;
    },
    async reopen() {
      await billing[Symbol.asyncDispose]();
      billing = await open();
      return billing;
    },
    async [Symbol.asyncDispose]() {
      await billing[Symbol.asyncDispose]();
      if (options.database === undefined) await database[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A price: 2 a million input tokens, 1 a million cached ones, 10 a million output tokens. */
export const PRICE: NewPrice = {
  provider: 'openai',
  model: 'gpt-5',
  effectiveFromMs: 0,
  currency: 'EUR',
  inputNano: 2_000n,
  cachedInputNano: 1_000n,
  outputNano: 10_000n,
  requestNano: 0n,
  imageNano: 0n,
  audioNano: 0n,
};

/** The same as a version. */
export const PRICED: Price = { ...PRICE, cacheWriteNano: PRICE.inputNano, version: 1 };

/** An account with money and a key, who may send. */
export async function newCaller(
  billing: Billing,
  amountMicro: bigint,
  limits: Partial<AccountKeyLimits> = {},
): Promise<Caller & { readonly secret: string }> {
  const account = await billing.accounts.create({ name: 'Acme', currency: 'EUR' }, 'test');
  if (amountMicro > 0n) await billing.accounts.credit(account.id, { amountMicro, reference: 'invoice 1' }, 'test');
  const all = { budgets: [], models: null, ...limits };
  const { secret } = await billing.keys.create(account.id, { name: 'first', limits: all }, 'test');
  return { ...(await billing.keys.authenticate(secret)), secret };
}

/** A small stream of `caller`. */
export function newRequest(caller: Caller, more: Partial<PaidRequest> = {}): PaidRequest {
  return {
    requestId: createRequestId(NOON_MS),
    caller,
    provider: 'openai',
    model: 'gpt-5',
    price: PRICED,
    promptTokensBound: 100,
    images: 0,
    audios: 0,
    isWhole: false,
    ...more,
  };
}

/** How a request ended that used this much. */
export function used(promptTokens: number, completionTokens: number, more: Partial<PaidOutcome> = {}): PaidOutcome {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    reasoningTokens: 0,
    isEstimated: false,
    began: true,
    status: 200,
    durationMs: 1_000,
    firstByteMs: 100,
    end: 'whole',
    ...more,
  };
}
