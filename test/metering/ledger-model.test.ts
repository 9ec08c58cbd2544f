// Random steps on the ledger, each held to the rules in words.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/index.js';
import { tokenCostMicro, type Budget, type KeyLimits, type TokenPrice } from '../../src/metering/index.js';
import type { AdmitRequest, HoldRecord } from '../../src/metering/ledger/hold-record.js';
import { amountsOf, budgetLimitOf } from '../../src/metering/ledger/key-account.js';
import { Ledger, type Instant } from '../../src/metering/ledger/ledger.js';
import { windowStart, type Window } from '../../src/metering/window.js';
import { NOON_MS } from './open-test-meter.js';

const SLICE = 16;
const PRICE: TokenPrice = { inputFemto: 700_000_000n, outputFemto: 1_900_000_000n, currency: 'EUR' };
const KEYS = ['vk_a', 'vk_b'];

const window = fc.constantFrom<Window>('day', 'week', 'month', 'total');
const budget: fc.Arbitrary<Budget> = fc.oneof(
  fc.record({ tokens: fc.integer({ min: 1, max: 600 }), window }),
  fc.record({ amountMicro: fc.bigInt({ min: 1n, max: 900n }), currency: fc.constant('EUR'), window }),
);
const limits: fc.Arbitrary<KeyLimits> = fc.record(
  {
    requestsPerMinute: fc.integer({ min: 1, max: 10 }),
    tokensPerMinute: fc.integer({ min: 20, max: 500 }),
    parallelRequests: fc.integer({ min: 1, max: 6 }),
    budgets: fc.array(budget, { maxLength: 3 }),
  },
  { requiredKeys: ['budgets'] },
);
const admit = fc.record(
  {
    kind: fc.constant('admit' as const),
    keyId: fc.constantFrom(...KEYS),
    promptTokensBound: fc.integer({ min: 0, max: 40 }),
    choices: fc.constantFrom(1, 1, 1, 3),
    outputTokensBound: fc.integer({ min: 0, max: 40 }),
    price: fc.constant(PRICE),
  },
  { requiredKeys: ['kind', 'keyId', 'promptTokensBound', 'choices'] },
);
const step = fc.oneof(
  { arbitrary: admit, weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('go-on' as const), at: fc.nat(), tokens: fc.nat(60) }), weight: 4 },
  {
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      at: fc.nat(),
      promptTokens: fc.nat(60),
      surplus: fc.constantFrom(0, 0, 0, 30),
      began: fc.boolean(),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant('undo' as const), at: fc.nat() }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 20_000, 61_000) }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('days' as const), days: fc.nat(40) }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant('clock-step' as const), ms: fc.constantFrom(-3_600_000, 3_600_000) }),
    weight: 1,
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Open {
  readonly hold: HoldRecord;
  consumed: number;
}

/** Checks after each step, with every earlier step. */
class Model {
  readonly ledger: Ledger;
  readonly open = new Map<string, Open>();
  readonly ended = new Set<string>();
  readonly charges: { keyId: string; day: number; tokens: number; micro: bigint }[] = [];
  readonly limits: ReadonlyMap<string, KeyLimits>;
  instant: Instant = { monotonicMs: 0, unixMs: NOON_MS };
  #made = 0;

  constructor(its: readonly KeyLimits[]) {
    this.limits = new Map(KEYS.map((id, i) => [id, its[i] ?? { budgets: [] }]));
    this.ledger = new Ledger(SLICE, NOON_MS, () => []);
    for (const [id, one] of this.limits) this.ledger.setLimits(id, one);
  }

  run(one: Step): void {
    const { monotonicMs, unixMs } = this.instant;
    if (one.kind === 'admit') this.#admit({ model: 'm', requestId: `r${this.#made++}`, ...one });
    else if (one.kind === 'wait') this.instant = { monotonicMs: monotonicMs + one.ms, unixMs: unixMs + one.ms };
    else if (one.kind === 'days')
      this.instant = { monotonicMs: monotonicMs + 60_501, unixMs: unixMs + one.days * 86_400_000 };
    else if (one.kind === 'clock-step') this.instant = { monotonicMs, unixMs: unixMs + one.ms };
    else this.#end(one);
  }

  /** Errors of the ledger are refusals; each must have its reason. */
  #admit(request: AdmitRequest): void {
    const { keyId, choices, promptTokensBound, outputTokensBound } = request;
    try {
      const hold = this.ledger.admit(request, this.instant);
      this.open.set(hold.requestId, { hold, consumed: 0 });
      expect(hold.completionTokens).toBeGreaterThanOrEqual(choices * (outputTokensBound ?? 1));
      expect(hold.completionTokens).toBeLessThanOrEqual(choices * (outputTokensBound ?? SLICE));
    } catch (error) {
      if (!isAppError(error)) throw error;
      const running = this.#of(keyId);
      const its = this.limits.get(keyId);
      if (error.details['limit'] === 'parallel_requests') expect(running.length).toBe(its?.parallelRequests);
      if (error.code !== 'budget_exceeded' || outputTokensBound !== undefined) return;
      // With one slice more for each running request, no budget would have refused.
      const isShort = its?.budgets.some((one) => {
        const unspent = budgetLimitOf(one) - this.#usedAndConsumed(keyId, one);
        const inSlices = running.reduce(
          (sum, { hold }) => sum + (hold.isWhole ? hold.completionTokens : hold.choices * SLICE),
          0,
        );
        const need = promptTokensBound + choices + inSlices;
        return (
          unspent <
          ('tokens' in one
            ? BigInt(need)
            : tokenCostMicro(PRICE, promptTokensBound, need - promptTokensBound) + BigInt(running.length))
        );
      });
      expect(isShort).toBe(true);
    }
  }

  #end(one: Extract<Step, { at: number }>): void {
    const found = [...this.open.values()][one.at % Math.max(1, this.open.size)];
    if (found === undefined) return;
    const { hold } = found;
    if (one.kind === 'go-on') {
      const wanted = found.consumed + one.tokens;
      const granted = this.ledger.extend(hold, wanted, this.instant);
      found.consumed = Math.min(wanted, granted);
      return;
    }
    this.open.delete(hold.requestId);
    expect(this.ended.has(hold.requestId)).toBe(false);
    this.ended.add(hold.requestId);
    if (one.kind === 'undo') {
      this.ledger.undo(hold, this.instant);
      return;
    }
    const [promptTokens, completionTokens] = [
      Math.min(one.promptTokens, hold.promptTokens + one.surplus),
      found.consumed + one.surplus,
    ];
    const counts = { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0, isEstimated: false };
    const charge = this.ledger.settle(hold, { ...counts, began: one.began }, this.instant);
    const isFree = !one.began && completionTokens === 0;
    const tokens = isFree ? 0 : promptTokens + completionTokens;
    expect(charge.chargedTokens + charge.unchargedTokens).toBe(tokens);
    if (tokens <= hold.promptTokens + hold.completionTokens) expect(charge.unchargedTokens).toBe(0);
    this.charges.push({
      keyId: hold.keyId,
      day: this.ledger.day,
      tokens: charge.chargedTokens,
      micro: charge.costMicro,
    });
  }

  check(): void {
    this.ledger.moveTo(this.instant.unixMs);
    for (const [keyId, { budgets }] of this.limits) {
      const account = this.ledger.account(keyId);
      const running = this.#of(keyId);
      expect(account.running).toBe(running.length);
      const heldTokens = running.reduce((sum, { hold }) => sum + hold.promptTokens + hold.completionTokens, 0);
      expect(account.tokens.held).toBe(BigInt(heldTokens));
      const heldMicro = running.reduce((sum, { hold }) => sum + hold.heldMicro, 0n);
      expect(account.findMoney('EUR')?.held ?? 0n).toBe(heldMicro);
      for (const one of budgets) {
        const amounts = amountsOf(account, one);
        expect(amounts.used(one.window)).toBe(this.#used(keyId, one));
        expect(amounts.used(one.window) + amounts.held).toBeLessThanOrEqual(budgetLimitOf(one));
      }
    }
  }

  #of(keyId: string): Open[] {
    return [...this.open.values()].filter(({ hold }) => hold.keyId === keyId);
  }

  #used(keyId: string, one: Budget): bigint {
    const start = windowStart(one.window, this.ledger.day);
    const its = this.charges.filter(({ keyId: id, day }) => id === keyId && day >= start);
    return its.reduce((sum, { tokens, micro }) => sum + ('tokens' in one ? BigInt(tokens) : micro), 0n);
  }

  #usedAndConsumed(keyId: string, one: Budget): bigint {
    const consumed = this.#of(keyId).reduce((sum, { hold, consumed: tokens }) => {
      if ('tokens' in one) return sum + BigInt(hold.promptTokens + tokens);
      return sum + (hold.price === undefined ? 0n : tokenCostMicro(hold.price, hold.promptTokens, tokens));
    }, 0n);
    return this.#used(keyId, one) + consumed;
  }
}

describe('the ledger', () => {
  it('never overspends a budget, holds what is open, ends each hold once, and refuses only what a slice does not fit', () => {
    let admitted = 0;
    let ended = 0;
    fc.assert(
      fc.property(
        fc.array(limits, { minLength: 2, maxLength: 2 }),
        fc.array(step, { maxLength: 120, size: 'max' }),
        (its, steps) => {
          const model = new Model(its);
          for (const one of steps) {
            model.run(one);
            model.check();
          }
          admitted += model.open.size + model.ended.size;
          ended += model.ended.size;
        },
      ),
      { numRuns: 300 },
    );
    // The steps were not all refused.
    expect(admitted).toBeGreaterThan(1000);
    expect(ended).toBeGreaterThan(300);
  });

  it('gives the rest of a budget where less than a slice is left, and refuses what not even a token of is there for', () => {
    const ledger = new Ledger(256, NOON_MS, () => []);
    ledger.setLimits('vk_a', { budgets: [{ tokens: 1000, window: 'day' }] });
    const instant = { monotonicMs: 0, unixMs: NOON_MS };
    const ask = (requestId: string, more: Partial<AdmitRequest> = {}) =>
      ledger.admit({ requestId, keyId: 'vk_a', model: 'm', promptTokensBound: 300, choices: 1, ...more }, instant);
    expect(ask('a').completionTokens).toBe(256);
    expect(ask('b', { promptTokensBound: 400 }).completionTokens).toBe(44);
    expect(() => ask('c')).toThrow('the budget of this key (day) has 0 tokens left, while running requests hold 1,000');
    expect(() => ask('d', { outputTokensBound: 800, promptTokensBound: 0 })).toThrow('this request needs 800 tokens');
  });

  it('asks an unpriced model for nothing of a budget in money', () => {
    const ledger = new Ledger(256, NOON_MS, () => []);
    ledger.setLimits('vk_a', { budgets: [{ amountMicro: 1n, currency: 'EUR', window: 'total' }] });
    const request = { requestId: 'a', keyId: 'vk_a', model: 'm', promptTokensBound: 5000, choices: 1 };
    const instant = { monotonicMs: 0, unixMs: NOON_MS };
    expect(ledger.admit(request, instant).heldMicro).toBe(0n);
    expect(() => ledger.admit({ ...request, requestId: 'b', price: PRICE }, instant)).toThrow(
      /has \d+\.\d{2,6} EUR left/,
    );
  });
});
