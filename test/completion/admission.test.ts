import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSlotPool, type SequenceSlots } from '../../src/completion/slot-pool.js';
import { createEngine } from '../../src/index.js';

/** A request as the plain model of the rules has it. */
interface Request {
  readonly caller: string;
  readonly count: number;
  readonly places: SequenceSlots;
  state: 'waiting' | 'begun' | 'over';
}

type Step = { readonly caller: string; readonly count: number } | { readonly end: number } | { readonly begin: number };

const callers = ['a', 'b', 'c'];
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ caller: fc.constantFrom(...callers), count: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ end: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ begin: fc.nat() }) },
  ),
  { maxLength: 120 },
);

const heldBy = (requests: readonly Request[], caller?: string): number =>
  requests
    .filter((one) => one.state !== 'over' && (caller === undefined || one.caller === caller))
    .reduce((sum, { count }) => sum + count, 0);

/** What a caller that holds more than half could lose, newest first, so that it keeps half at least before each loss. */
function losable(requests: readonly Request[], half: number): Request[] {
  const greedy = callers.find((caller) => heldBy(requests, caller) > half);
  let held = heldBy(requests, greedy);
  const waiting = requests.filter(({ caller, state }) => caller === greedy && state === 'waiting').toReversed();
  return waiting.filter(({ count }) => {
    if (held <= half) return false;
    held -= count;
    return true;
  });
}

describe('places for sequences', () => {
  it('are shared by the rules in every order of arrivals, begins and ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 24 }), steps, (limit, all) => {
        const half = Math.floor(limit / 2);
        const admit = createSlotPool(limit);
        const requests: Request[] = [];
        const open = (): Request[] => requests.filter(({ state }) => state !== 'over');
        for (const step of all) {
          if ('end' in step || 'begin' in step) {
            const at = 'end' in step ? step.end : step.begin;
            const one = open()[at % Math.max(1, open().length)];
            if (one === undefined) continue;
            if ('end' in step) one.places[Symbol.dispose]();
            else one.places.begin();
            one.state = 'end' in step ? 'over' : 'begun';
            continue;
          }
          const { caller, count } = step;
          const before = open();
          const mine = heldBy(before, caller) + count;
          const doOthersWait = before.some((one) => one.caller !== caller && one.state === 'waiting');
          const missing = heldBy(before) + count - limit;
          const givers = losable(before, half);
          const given = givers.reduce((sum, one) => sum + one.count, 0);
          const isTaken = mine <= half ? missing <= 0 || given >= missing : missing <= 0 && !doOthersWait;
          const take = (): SequenceSlots => admit(count, caller, undefined);
          if (isTaken) requests.push({ caller, count, places: take(), state: 'waiting' });
          else expect(take).toThrow(expect.objectContaining({ code: 'overloaded' }));
          // Requests lose their slots only to a caller without any: the newest ones, and only as many as it needs.
          const lost = before.filter(({ places }) => places.signal.aborted);
          for (const one of lost) one.state = 'over';
          const wanted = isTaken ? missing : 0;
          const expected = givers.filter(
            (_, index) => givers.slice(0, index).reduce((sum, one) => sum + one.count, 0) < wanted,
          );
          expect(lost).toEqual(expected.toReversed());
          for (const { places } of lost) expect(places.signal.reason).toMatchObject({ code: 'overloaded' });
          expect(heldBy(requests)).toBeLessThanOrEqual(limit);
        }
        for (const { places } of open()) places[Symbol.dispose]();
        // All are free again.
        expect(() => admit(limit, 'a', undefined)).not.toThrow();
      }),
      { numRuns: 1_000 },
    );
  });

  it('are all for one who is alone, and half of them while another waits', () => {
    const admit = createSlotPool(8);
    const held = Array.from({ length: 8 }, () => admit(1, 'a', undefined));
    const newcomers = Array.from({ length: 4 }, () => admit(1, 'b', undefined));
    expect(held.map(({ signal }) => signal.aborted)).toEqual([...Array(4).fill(false), ...Array(4).fill(true)]);
    expect(() => admit(1, 'a', undefined)).toThrow('it may hold 4');
    expect(() => admit(1, 'b', undefined)).toThrow('it may hold 4');
    for (const one of newcomers) one.begin();
    newcomers[0]?.[Symbol.dispose]();
    // No request waits any more.
    expect(admit(1, 'a', undefined).signal.aborted).toBe(false);
  });

  it('are not taken from an answer that has begun', () => {
    const admit = createSlotPool(4);
    const held = Array.from({ length: 4 }, () => admit(1, 'a', undefined));
    for (const one of held) one.begin();
    expect(() => admit(1, 'b', undefined)).toThrow('the limit is 4');
    expect(held.some(({ signal }) => signal.aborted)).toBe(false);
  });

  it('pass on the abort of the request, with its reason', () => {
    const admit = createSlotPool(4);
    const controller = new AbortController();
    const { signal } = admit(1, 'a', controller.signal);
    controller.abort(new Error('enough'));
    expect(signal.reason).toMatchObject({ message: 'enough' });
    expect(admit(1, 'a', controller.signal).signal.reason).toMatchObject({ message: 'enough' });
  });
});

describe('callers of the library', () => {
  /** Sequences that run, and two that wait. */
  const PLACES = 64 + 2;

  it('have a place each when one of them has taken all', async () => {
    await using engine = await createEngine({ threads: 1, maxWaiting: 2 });
    const model = await engine.load('demo');
    const request = { promptTokenIds: [1, 2, 3], maxTokens: 100, ignoreStop: true, caller: 'greedy' };
    const outcomes = Array.from({ length: PLACES }, async () => {
      let numTokens = 0;
      try {
        for await (const { tokenIds } of model.generateOutputs(request)) numTokens += tokenIds.length;
        return numTokens;
      } catch (error) {
        return (error as { code?: string }).code;
      }
    });
    await expect.poll(async () => (await model.stats())?.running).toBe(64);
    await expect(
      model.chat({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }, { caller: 'greedy' }),
    ).rejects.toMatchObject({ code: 'overloaded' });
    const answer = await model.chat(
      { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
      { caller: 'other' },
    );
    expect(answer.usage.completion_tokens).toBe(1);
    const others = Array<number>(PLACES - 1).fill(100);
    const all = await Promise.all(outcomes);
    expect([...all.filter((one) => one === 'overloaded'), ...all.filter((one) => one !== 'overloaded')]).toEqual([
      'overloaded',
      ...others,
    ]);
  });
});
