import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  RetryBudget,
  TargetGroup,
  prefixKey,
  resultOf,
  scanRequest,
  type Target,
  type TargetResult,
} from '../../src/relay/index.js';
import { CircuitBreaker } from '../../src/relay/resilience/circuit-breaker.js';
import { HandClock } from '../http/hand-clock.js';

const target = (id: string, order = 0, weight = 1): Target => ({ id, order, weight });
/** Chooses and holds; the ids chosen. */
const hold = (group: TargetGroup<Target>, times: number, affinity?: number): (string | undefined)[] =>
  Array.from({ length: times }, () => group.choose(affinity)?.target.id);
/** Chooses and ends. */
const run = (group: TargetGroup<Target>, result: TargetResult): string | undefined => {
  const chosen = group.choose();
  chosen?.end(result);
  return chosen?.target.id;
};

describe('a circuit breaker', () => {
  it('opens after failures in a row, lets one request try after its time, and closes or opens by that one', () => {
    const clock = new HandClock();
    const breaker = new CircuitBreaker(clock, { failures: 3, openMs: 1_000 });
    breaker.fail();
    breaker.fail();
    breaker.succeed();
    breaker.fail();
    breaker.fail();
    expect(breaker.state).toBe('closed');
    breaker.fail();
    expect([breaker.state, breaker.isReady]).toEqual(['open', false]);
    clock.advance(999);
    // Requests that were under way when it opened do not keep it open.
    breaker.fail();
    clock.advance(1);
    expect([breaker.state, breaker.isReady]).toEqual(['half-open', true]);
    breaker.begin();
    expect(breaker.isReady).toBe(false);
    breaker.fail();
    expect(breaker.state).toBe('open');
    clock.advance(1_000);
    breaker.begin();
    breaker.forget();
    expect(breaker.isReady).toBe(true);
    breaker.begin();
    breaker.succeed();
    expect([breaker.state, breaker.isReady]).toEqual(['closed', true]);
  });
});

describe('a retry budget', () => {
  it('never gives more than its share of the requests in any window, but for its least', () => {
    const steps = fc.array(
      fc.oneof(fc.constant('request' as const), fc.constant('retry' as const), fc.integer({ min: 1, max: 4_000 })),
      {
        maxLength: 300,
      },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const clock = new HandClock();
        const budget = new RetryBudget(clock, { share: 0.2, min: 3, windowMs: 10_000 });
        const requests: number[] = [];
        const retries: number[] = [];
        for (const step of list) {
          if (typeof step === 'number') clock.advance(step);
          else if (step === 'request') {
            budget.onRequest();
            requests.push(clock.nowMs());
          } else if (budget.tryTake()) {
            retries.push(clock.nowMs());
            // A slot of a tenth may count for up to a tenth less than the window.
            const since = (times: number[], windowMs: number): number =>
              times.filter((at) => at > clock.nowMs() - windowMs).length;
            expect(since(retries, 9_000)).toBeLessThanOrEqual(Math.max(3, 0.2 * since(requests, 10_001)));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives a fifth of 100 requests, and again when they are long ago', () => {
    const clock = new HandClock();
    const budget = new RetryBudget(clock);
    for (let i = 0; i < 100; i++) budget.onRequest();
    const take = (): number => Array.from({ length: 100 }, () => budget.tryTake()).filter(Boolean).length;
    expect(take()).toBe(20);
    clock.advance(11_000);
    expect(take()).toBe(3);
  });
});

describe('a group of targets', () => {
  it('chooses the least loaded by weight, and goes round where they are alike', () => {
    const group = new TargetGroup([target('a'), target('b', 0, 3)]);
    const chosen = hold(group, 8);
    expect(chosen.filter((id) => id === 'a')).toHaveLength(2);
    const alike = new TargetGroup([target('a'), target('b'), target('c')]);
    expect(new Set(hold(alike, 3))).toEqual(new Set(['a', 'b', 'c']));
    const idle = new Set(Array.from({ length: 3 }, () => run(alike, 'succeeded')));
    expect(idle.size).toBeGreaterThan(1);
  });

  it('asks a higher order only where no target of a lower one is in service, and comes back', () => {
    const clock = new HandClock();
    const group = new TargetGroup([target('local'), target('fallback', 1)], { clock });
    for (let i = 0; i < 5; i++) expect(run(group, 'failed')).toBe('local');
    expect(run(group, 'succeeded')).toBe('fallback');
    clock.advance(30_000);
    // One tries; until it has ended, the others go to the fallback.
    const probe = group.choose();
    expect(probe?.target.id).toBe('local');
    expect(run(group, 'succeeded')).toBe('fallback');
    probe?.end('succeeded');
    expect(run(group, 'succeeded')).toBe('local');
    group.setHealth('local', false);
    expect(run(group, 'succeeded')).toBe('fallback');
    expect(group.states().map(({ isHealthy }) => isHealthy)).toEqual([false, true]);
    group.setHealth('fallback', false);
    expect(group.choose()).toBeUndefined();
  });

  it('does not take 429, errors of requests or a client that left for failures', () => {
    expect([200, 400, 404, 429].map((status) => resultOf(status, undefined))).toEqual(Array(4).fill('succeeded'));
    expect([500, 502, 503].map((status) => resultOf(status, undefined))).toEqual(['erred', 'failed', 'failed']);
    expect(resultOf(200, new DOMException('gone', 'AbortError'))).toBe('unknown');
    const group = new TargetGroup([target('a')]);
    for (let i = 0; i < 20; i++)
      for (const result of ['unknown', 'erred'] as const) expect(run(group, result)).toBe('a');
    expect(group.states()[0]).toMatchObject({ running: 0, breaker: 'closed' });
  });

  it('ejects who fails far more often than the others for a while, longer each time, and never more than half', () => {
    const clock = new HandClock();
    const group = new TargetGroup([target('a'), target('b'), target('c')], { clock });
    const serve = (bad: readonly string[], times: number): void => {
      for (let i = 0; i < times; i++) {
        const chosen = group.choose();
        if (chosen === undefined) return;
        // Every second fails, so that no breaker opens.
        chosen.end(bad.includes(chosen.target.id) && i % 2 === 0 ? 'failed' : 'succeeded');
      }
    };
    const out = (): string[] =>
      group
        .states()
        .filter(({ isEjected }) => isEjected)
        .map(({ id }) => id);
    serve(['a'], 200);
    expect(out()).toEqual(['a']);
    serve(['a', 'b'], 200);
    expect(out()).toEqual(['a']);
    clock.advance(30_001);
    expect(out()).toEqual([]);
    serve(['a'], 400);
    expect(out()).toEqual(['a']);
    clock.advance(30_001);
    expect(out()).toEqual(['a']);
    clock.advance(30_001);
    expect(out()).toEqual([]);
    clock.advance(60_000);
    serve(['a', 'b', 'c'], 600);
    expect(out()).toEqual([]);
  });

  it('keeps a conversation at its target while its load allows, and moves few when a target goes', () => {
    const targets = ['a', 'b', 'c', 'd'].map((id) => target(id));
    const owner = (group: TargetGroup<Target>, key: number): string | undefined => {
      const chosen = group.choose(key);
      chosen?.end('succeeded');
      return chosen?.target.id;
    };
    const group = new TargetGroup(targets);
    const keys = Array.from({ length: 2_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
    const first = keys.map((key) => owner(group, key));
    expect(keys.map((key) => owner(group, key))).toEqual(first);
    for (const { id } of targets) {
      const share = first.filter((other) => other === id).length / keys.length;
      expect([id, share > 0.2, share < 0.3]).toEqual([id, true, true]);
    }
    const fewer = new TargetGroup(targets.slice(0, 3));
    const moved = keys.filter((key, i) => first[i] !== 'd' && owner(fewer, key) !== first[i]);
    expect(moved).toEqual([]);
    // A popular prefix spreads: no target has much more than an even share.
    const counts = new Map<string | undefined, number>();
    for (const id of hold(new TargetGroup(targets), 400, 7)) counts.set(id, (counts.get(id) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(130);
  });

  it('has its counts right after any order of choices and ends', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.nat(9), fc.constantFrom<TargetResult>('succeeded', 'failed', 'erred', 'unknown'), fc.nat(9_000)),
        ),
        (steps) => {
          const clock = new HandClock();
          const group = new TargetGroup([target('a'), target('b', 0, 2), target('c', 1)], { clock });
          const open: { end: (result: TargetResult) => void; id: string }[] = [];
          for (const [which, result, passMs] of steps) {
            clock.advance(passMs);
            const chosen = which < 5 ? group.choose(which === 0 ? 7 : undefined) : undefined;
            if (chosen !== undefined) open.push({ end: (how) => chosen.end(how), id: chosen.target.id });
            else open.splice(which % Math.max(1, open.length), 1).forEach(({ end }) => [end(result), end('failed')]);
            for (const { id, running } of group.states())
              expect(running).toBe(open.filter((one) => one.id === id).length);
          }
        },
      ),
    );
  });
});

describe('the key of a conversation', () => {
  const key = (body: unknown, salt = 'vk'): number | undefined => {
    const bytes = Buffer.from(JSON.stringify(body));
    return prefixKey(bytes, scanRequest(bytes), salt);
  };
  const system = { role: 'system', content: 'You are an assistant.' };
  const user = (content: string): unknown => ({ role: 'user', content });
  const assistant = { role: 'assistant', content: 'ok' };

  it('is the same for all its turns, and another for another beginning or client', () => {
    const first = key({ model: 'a', messages: [system, user('Hi')] });
    expect(key({ model: 'a', n: 2, messages: [system, user('Hi'), assistant, user('more')] })).toBe(first);
    expect(key({ messages: [system, user('Ho')] })).not.toBe(first);
    expect(key({ messages: [system, user('Hi')] }, 'other')).not.toBe(first);
    expect(key({ messages: [user('Hi')] })).toBe(key({ messages: [user('Hi'), assistant, user('x')] }));
    expect(key({ prompt: 'a text' })).not.toBe(key({ prompt: 'another' }));
    expect(key({ model: 'a' })).toBeUndefined();
  });
});
