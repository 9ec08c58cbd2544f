import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDLESS_TOKENS, isEndless, leavesFree } from '../../src/engine/endless.js';
import type { GenerateRequest } from '../../src/engine/index.js';
import { RowKeys } from '../../src/engine/media/row-keys.js';
import { Sequence } from '../../src/engine/sequence.js';
import type { Constraint } from '../../src/grammar/index.js';

const MAX_CYCLE = 256;

/** By trying each cycle. */
function slowTwin(tokenIds: readonly number[], promptLength: number): boolean {
  const numGenerated = tokenIds.length - promptLength;
  if (numGenerated < ENDLESS_TOKENS || numGenerated % 256 !== 0) return false;
  const last = tokenIds.slice(-ENDLESS_TOKENS);
  for (let cycle = 1; cycle <= MAX_CYCLE; cycle++) {
    if (last.every((id, i) => i < cycle || id === last[i - cycle])) return true;
  }
  return false;
}

const repeat = (ids: readonly number[], count: number): number[] =>
  Array.from({ length: count }, (_, i) => ids[i % ids.length] as number);
const cycleOf = (length: number): number[] => Array.from({ length }, (_, i) => i);

describe('a completion that repeats itself', () => {
  it.each([
    ['one token', [7], 2048, true],
    ['one token, not yet as long', [7], 1792, false],
    ['a sentence of 12 tokens', cycleOf(12), 2048, true],
    ['the longest cycle', cycleOf(256), 2048, true],
    ['a longer one', cycleOf(257), 4096, false],
    ['a table of 256 zero bytes', cycleOf(4), 1024, false],
    ['a line of equal signs', [7], 80, false],
  ])('is endless or not: %s', (_, cycle, count, expected) => {
    expect(isEndless([1, 2, 3, ...repeat(cycle, count)], 3)).toBe(expected);
  });

  it('is one only if its last tokens are, whatever came before', () => {
    const before = cycleOf(512);
    expect(isEndless([...before, ...repeat([5, 6], 2048)], 0)).toBe(true);
    const other = repeat([5, 6], 2048).with(1500, 9);
    expect(isEndless([...before, ...other], 0)).toBe(false);
  });

  it('counts up a list and is none', () => {
    const list = Array.from({ length: 4096 }, (_, i) => (i % 4 === 0 ? 100 + i : i % 4));
    expect(isEndless(list, 0)).toBe(false);
  });

  it('is found as by trying each cycle', () => {
    const tokens = fc
      .record({
        cycle: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 300 }),
        before: fc.integer({ min: 0, max: 3 }),
        change: fc.option(fc.nat({ max: 2047 })),
      })
      .map(({ cycle, before, change }) => {
        const ids = [...cycleOf(before * 256), ...repeat(cycle, ENDLESS_TOKENS)];
        return change === null ? ids : ids.with(before * 256 + change, 9);
      });
    fc.assert(
      fc.property(tokens, (ids) => isEndless(ids, 0) === slowTwin(ids, 0)),
      { numRuns: 200 },
    );
  });
});

/** Appends token 5 until the sequence ends, at most 6,000 times; how many it has then, and why. */
function runOn(more: Partial<GenerateRequest>, constraint?: Constraint): [number, string | undefined] {
  const sampling = { temperature: 1, seed: 1, ...more.sampling };
  const request = { promptTokenIds: [1], maxTokens: 6000, stopTokenIds: [2], ignoreStop: false, ...more, sampling };
  const sequence = new Sequence(1, request, [], { vocabSize: 64, nowMs: 0, rowKeys: new RowKeys() });
  if (constraint !== undefined) Object.defineProperty(sequence, 'constraint', { value: constraint });
  for (;;) {
    const reason = sequence.append(5, 8192);
    if (reason !== undefined || sequence.numGenerated === 6000) return [sequence.numGenerated, reason];
  }
}

/** Allows `count` of 64 tokens, and never ends. */
function allowing(count: number): Constraint {
  const allowed = Uint32Array.from([0, 1], (word) => 2 ** Math.max(0, Math.min(32, count - 32 * word)) - 1);
  return { allowed, forced: [], ended: false, advance: () => {} };
}

describe('a sequence that repeats itself', () => {
  it.each<[string, Partial<GenerateRequest>, number]>([
    ['is cut', {}, 2048],
    ['is cut at its own limit before', { maxTokens: 300 }, 300],
    ['goes on where ends are ignored', { mayRepeat: true }, 6000],
    ['goes on without stop ids', { ignoreStop: true }, 6000],
    [
      'goes on until it has the tokens that it must have',
      { sampling: { temperature: 1, seed: 1, minTokens: 3000 } },
      3072,
    ],
  ])('%s', (_, more, tokens) => {
    expect(runOn(more)).toEqual([tokens, 'length']);
  });

  it('is cut within a free text of a grammar, and not where the grammar chooses', () => {
    expect(runOn({}, allowing(60))).toEqual([2048, 'length']);
    expect(runOn({}, allowing(3))).toEqual([6000, 'length']);
    expect(leavesFree(undefined, 64)).toBe(true);
  });
});
