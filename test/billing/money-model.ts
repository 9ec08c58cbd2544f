// Random commands on accounts of a database, many of them at once, each group held to the rules in words.
import fc from 'fast-check';
import { expect } from 'vitest';
import { isAppError } from '../../src/base/index.js';
import type { Caller, PaidHold, PaidRequest } from '../../src/billing/index.js';
import { boundMicro, costMicro } from '../../src/billing/prices/cost.js';
import type { TestDatabases } from '../support/test-databases.js';
import { newCaller, newRequest, openTestBilling, PRICED, used, type TestBilling } from './open-test-billing.js';

const SLICE = 16;

const admit = fc.record({
  kind: fc.constant('admit' as const),
  key: fc.constantFrom(0, 0, 1),
  promptTokensBound: fc.integer({ min: 0, max: 60 }),
  outputTokensBound: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  isWhole: fc.boolean(),
  idempotencyKey: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined, freq: 8 }),
});
const settle = fc.record({
  kind: fc.constant('settle' as const),
  at: fc.nat(),
  promptTokens: fc.integer({ min: 0, max: 60 }),
  completionTokens: fc.integer({ min: 0, max: 90 }),
  cachedTokens: fc.integer({ min: 0, max: 60 }),
  began: fc.boolean(),
  isTwice: fc.boolean(),
});
const command = fc.oneof(
  { arbitrary: admit, weight: 8 },
  { arbitrary: settle, weight: 7 },
  { arbitrary: fc.record({ kind: fc.constant('allow' as const), at: fc.nat(), tokens: fc.nat(120) }), weight: 5 },
  {
    arbitrary: fc.record({ kind: fc.constant('credit' as const), amount: fc.integer({ min: -900, max: 2_000 }) }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('again' as const) }), weight: 1 },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;
const group = fc.oneof(
  { arbitrary: fc.array(command, { minLength: 4, maxLength: 16, size: 'max' }), weight: 36 },
  { arbitrary: fc.constant('tick' as const), weight: 3 },
  { arbitrary: fc.constant('die' as const), weight: 1 },
);

interface Open {
  readonly hold: PaidHold;
  readonly request: PaidRequest;
}

/** Invariants that hold after each group. */
class Model {
  readonly test: TestBilling;
  readonly callers: readonly Caller[];
  credited = 0n;
  open: Open[] = [];
  /** Settled requests, with their costs if everything was charged. */
  readonly ended = new Map<string, bigint>();
  readonly voided = new Set<string>();
  lost: string[] = [];
  #credits = 0;

  constructor(test: TestBilling, callers: readonly Caller[]) {
    this.test = test;
    this.callers = callers;
  }

  get accountId(): string {
    return this.callers[0]?.account.id ?? '';
  }

  async run(one: Command): Promise<void> {
    const { billing } = this.test;
    if (one.kind === 'admit') await this.#admit(one);
    else if (one.kind === 'settle') await this.#settle(one);
    else if (one.kind === 'allow') await this.open[one.at % Math.max(1, this.open.length)]?.hold.allow(one.tokens);
    else {
      // A credit that is repeated is booked once.
      const amountMicro = one.kind === 'credit' ? BigInt(one.amount) : 5n;
      const reference = one.kind === 'credit' ? `c${++this.#credits}` : 'again';
      const before = this.#credits;
      await billing.accounts.credit(this.accountId, { amountMicro, reference }, 'test').then(
        () => {
          if (reference !== 'again' || !this.#isAgain) this.credited += amountMicro;
          if (reference === 'again') this.#isAgain = true;
        },
        (error: unknown) => expect(codesOf(error)).toMatch(/balance_exceeded|invalid_value/),
      );
      expect(this.#credits).toBeGreaterThanOrEqual(before);
    }
  }

  #isAgain = false;

  async #admit(one: Extract<Command, { kind: 'admit' }>): Promise<void> {
    const { key, outputTokensBound, idempotencyKey, promptTokensBound, isWhole } = one;
    const caller = this.callers[key];
    if (caller === undefined) throw new Error('there are two keys');
    const request = newRequest(caller, {
      promptTokensBound,
      isWhole,
      ...(outputTokensBound !== undefined && { outputTokensBound }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    try {
      const hold = await this.test.billing.requests.admit(request);
      if (request.isWhole && outputTokensBound !== undefined) expect(hold.grantedTokens).toBe(outputTokensBound);
      else if (outputTokensBound !== undefined) expect(hold.grantedTokens).toBeLessThanOrEqual(outputTokensBound);
      this.open.push({ hold, request });
    } catch (error) {
      expect(codesOf(error)).toMatch(/insufficient_credit|budget_exceeded|idempotency_key_used/);
    }
  }

  async #settle({ at, isTwice, began, ...counts }: Extract<Command, { kind: 'settle' }>): Promise<void> {
    const [found] = this.open.splice(at % Math.max(1, this.open.length), 1);
    if (found === undefined) return;
    const { hold } = found;
    const { promptTokens, completionTokens } = counts;
    const outcome = used(promptTokens, completionTokens, { began, cachedTokens: counts.cachedTokens });
    await Promise.all([hold.settle(outcome), isTwice && hold.settle(used(60, 90))]);
    if (!began && completionTokens === 0) this.voided.add(hold.requestId);
    else {
      const cachedTokens = Math.min(counts.cachedTokens, promptTokens);
      const all = { promptTokens, cachedTokens, completionTokens, images: 0, audios: 0 };
      this.ended.set(hold.requestId, costMicro(PRICED, all));
    }
  }

  /** The node dies and another one begins: open requests are voided once the chain of beats says so. */
  async die(): Promise<void> {
    this.lost.push(...this.open.map(({ hold }) => hold.requestId));
    this.open = [];
    await this.test.reopen();
    // The node left in an orderly way: its holds have no owner at once.
    await this.test.billing.tick();
  }

  async check(): Promise<void> {
    const { billing } = this.test;
    const account = await billing.accounts.get(this.accountId);
    const held = this.open.reduce((sum, { hold, request }) => {
      const { promptTokensBound: promptTokens, images, audios } = request;
      return (
        sum +
        boundMicro(PRICED, { promptTokens, cachedTokens: 0, completionTokens: hold.grantedTokens, images, audios })
      );
    }, 0n);
    expect(account.heldMicro).toBe(held);
    expect(account.availableMicro).toBeGreaterThanOrEqual(0n);
    let [charged, cursor]: [bigint, string | undefined] = [0n, undefined];
    const seen = new Set<string>();
    do {
      const page = await billing.requests.list(this.accountId, {
        limit: 1000,
        ...(cursor !== undefined && { cursor }),
      });
      for (const { requestId, state, costMicro: cost } of page.items) {
        expect(seen.has(requestId)).toBe(false);
        seen.add(requestId);
        charged += cost;
        const full = this.ended.get(requestId);
        expect(state).toBe(full === undefined ? 'voided' : 'settled');
        if (full !== undefined) expect(cost).toBeLessThanOrEqual(full);
      }
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen.size).toBe(this.ended.size + this.voided.size + this.lost.length);
    expect(account.availableMicro + account.heldMicro).toBe(this.credited - charged);
  }
}

function codesOf(error: unknown): string {
  if (!isAppError(error)) throw error;
  return error.code;
}

/** An account, poor or not, and its events. */
const story = fc.record({
  credit: fc.constantFrom(2_000n, 40_000n),
  groups: fc.array(group, { minLength: 20, maxLength: 60, size: 'max' }),
});

/** Runs `least` commands or more on one database. Gives how many requests were settled. */
export async function runMoneyModel(databases: TestDatabases, least: number): Promise<number> {
  await using test = await openTestBilling(databases, { sliceTokens: SLICE, wholeTokens: 40 });
  let [commands, settled] = [0, 0];
  const run = async ({ credit, groups }: typeof story extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
    const first = await newCaller(test.billing, credit);
    const limits = { budgets: [{ amountMicro: 2_500n, window: 'total' as const }], models: null };
    const { secret } = await test.billing.keys.create(first.account.id, { name: 'second', limits }, 'test');
    const model = new Model(test, [first, await test.billing.keys.authenticate(secret)]);
    model.credited = credit;
    for (const one of groups) {
      if (one === 'tick') await test.billing.tick();
      else if (one === 'die') await model.die();
      else {
        commands += one.length;
        await Promise.all(one.map((each) => model.run(each)));
      }
      await model.check();
    }
    await model.die();
    await model.check();
    settled += model.ended.size;
  };
  while (commands < least) await fc.assert(fc.asyncProperty(story, run), { numRuns: 5, endOnFailure: true });
  const check = await test.billing.ledger.verify();
  expect(check.faults).toEqual([]);
  return settled;
}
