import { beforeEach, describe, expect, it } from 'vitest';
import { AcceptanceRates } from '../../src/engine/speculation/acceptance-rates.js';
import { RowKeys } from '../../src/engine/media/row-keys.js';
import { Sequence } from '../../src/engine/sequence.js';
import { ScopedAcceptanceRates, Speculation } from '../../src/engine/speculation/speculation.js';
import { StepCosts } from '../../src/engine/speculation/step-costs.js';

const VOCAB = 1000;

function sequence(promptTokenIds: readonly number[]): Sequence {
  const sampling = { temperature: 0, seed: 0 };
  const request = { promptTokenIds, maxTokens: 1000, sampling, stopTokenIds: [], ignoreStop: true };
  return new Sequence(1, request, [], { vocabSize: VOCAB, nowMs: 0, rowKeys: new RowKeys() });
}

describe('speculation', () => {
  let speculation: Speculation;

  beforeEach(() => {
    speculation = new Speculation();
    speculation.learnCost(1, 10);
  });

  /** Steps took `costOf(rows)` for a while. */
  function makeRowsCost(costOf: (rows: number) => number): void {
    for (let round = 0; round < 300; round++) {
      for (let rows = 1; rows <= 5; rows++) speculation.learnCost(rows, costOf(rows));
    }
  }

  /** Steps of more rows cost next to nothing more. */
  function makeRowsFree(): void {
    makeRowsCost((rows) => 10 + rows / 100);
  }

  it('guesses what followed the same three tokens last', () => {
    makeRowsFree();
    expect(speculation.draft(sequence([1, 2, 3, 7, 1, 2, 3, 8, 9, 10, 11, 12, 1, 2, 3]), 9)).toEqual([8, 9, 10, 11]);
    expect(speculation.draft(sequence([1, 2, 3, 4, 5, 6]), 9)).toEqual([]);
  });

  it('learns from the texts of a scope for that scope alone', () => {
    const chances = new ScopedAcceptanceRates();
    const scopes = [undefined, 'a', 'b'];
    const chanceIn = (scope: string | undefined): number => new AcceptanceRates(chances.of(scope)).of(3);
    const before = chanceIn(undefined);
    for (let i = 0; i < 50; i++) new AcceptanceRates(chances.of('a')).learn(3, true);
    expect(chanceIn('a')).toBeGreaterThan(before + 0.1);
    expect(scopes.map(chanceIn)).toEqual([before, chanceIn('a'), before]);
    // They are bounded: those that were not used for long begin anew.
    for (let i = 0; i < 1_000; i++) chances.of(`scope ${i}`);
    expect(chanceIn('a')).toBe(before);
  });

  it('takes the place with more in common, not the newest', () => {
    makeRowsFree();
    const text = [21, 22, 23, 24, 1, 2, 3, 50, 51, 1, 2, 3, 60, 61, 21, 22, 23, 24, 1, 2, 3];
    expect(speculation.draft(sequence(text), 2)).toEqual([50, 51]);
  });

  it('tells places apart by ten tokens as well as by three, whatever the text is full of', () => {
    makeRowsFree();
    const passage = [21, 22, 23, 24, 25, 26, 27, 1, 2, 3];
    const text = [...passage, 50, 51, ...passage.slice(2), 60, 61];
    for (let other = 100; other < 140; other++) text.push(other, 1, 2, 3);
    expect(speculation.draft(sequence([...text, ...passage]), 2)).toEqual([50, 51]);
  });

  it('follows a copy past a token that differs, for a while', () => {
    makeRowsFree();
    const copy = sequence([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4]);
    expect(speculation.draft(copy, 4)).toEqual([5, 6, 7, 8]);
    copy.tokenIds.push(500);
    expect(speculation.draft(copy, 4)).toEqual([6, 7, 8, 9]);
    copy.tokenIds.push(501, 502, 503, 504, 505, 506);
    expect(speculation.draft(copy, 4)).toEqual([]);
  });

  it('finds a copy again one token behind words that were put in, left out or exchanged', () => {
    makeRowsFree();
    const source = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    const told = (...changed: readonly number[]): readonly number[] => {
      const copy = sequence([...source, 1, 2, 3, 4]);
      expect(speculation.draft(copy, 1)).toEqual([5]);
      copy.tokenIds.push(...changed);
      return speculation.draft(copy, 3);
    };
    expect(told(500, 501, 502, 5)).toEqual([6, 7, 8]);
    expect(told(8)).toEqual([9, 10, 11]);
    expect(told(500, 501, 502, 6)).toEqual([7, 8, 9]);
    // Too far off to be the same copy: taken for a token that differs.
    expect(told(12)).toEqual([6, 7, 8]);
  });

  it('goes on with a copy rather than where as much matches by chance', () => {
    makeRowsFree();
    const copy = sequence([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 6, 7, 8, 77, 78, 1, 2, 3, 4]);
    expect(speculation.draft(copy, 1)).toEqual([5]);
    copy.tokenIds.push(500, 6, 7, 8);
    expect(speculation.draft(copy, 2)).toEqual([9, 10]);
  });

  it('guesses no further than there is room', () => {
    makeRowsFree();
    const repeating = sequence([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3]);
    expect(speculation.draft(repeating, 2)).toEqual([4, 5]);
    expect(speculation.draft(repeating, 0)).toEqual([]);
  });

  it('gives up where short matches mislead, and still trusts a long one', () => {
    makeRowsFree();
    const text = Array.from({ length: 12 }, (_, i) => 100 + i);
    const misled = sequence([...text, 1, 2, 3, 4, 5, 6, 7, 500]);
    for (let other = 600; other < 630; other++) misled.tokenIds.push(1, 2, 3, other);
    misled.tokenIds.push(1, 2, 3);
    makeRowsCost((rows) => 10 + rows);
    expect(speculation.draft(misled, 4)).toEqual([]);
    misled.tokenIds.push(...text.slice(0, 8));
    expect(speculation.draft(misled, 4)).toEqual(text.slice(8, 12));
  });

  it('learns from guesses that were not made', () => {
    makeRowsCost((rows) => 5 + 5 * rows);
    const text = Array.from({ length: 90 }, (_, i) => 100 + i);
    const copy = sequence([...text, 1]);
    /** Every tenth token is another: behind it nothing matches, yet the copy goes on. */
    const say = (from: number, to: number): void => {
      for (let i = from; i < to; i++) copy.tokenIds.push(i % 10 === 9 ? 900 + i : 100 + i);
    };
    say(0, 20);
    expect(speculation.draft(copy, 4)).toEqual([]);
    say(20, 80);
    expect(speculation.draft(copy, 4).slice(0, 1)).toEqual([180]);
  });

  it('does not guess where a step of more rows costs more than it brings', () => {
    makeRowsCost((rows) => rows * 10);
    expect(speculation.draft(sequence([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3]), 4)).toEqual([]);
  });

  it('guesses more behind a longer match', () => {
    makeRowsCost((rows) => 10 + 2 * rows);
    const text = Array.from({ length: 14 }, (_, i) => 100 + i);
    expect(speculation.draft(sequence([...text, ...text.slice(0, 3)]), 4)).toHaveLength(2);
    expect(speculation.draft(sequence([...text, ...text.slice(0, 8)]), 4)).toHaveLength(4);
  });
});

describe('step costs', () => {
  let costs: StepCosts;

  beforeEach(() => {
    costs = new StepCosts();
  });

  /** Steps of all numbers of rows in turns, on a machine on which one row takes `singleMs`. */
  function timeSteps(rounds: number, singleMs: (round: number) => number): void {
    for (let round = 0; round < rounds; round++) {
      for (const rows of [1, 2, 3, 4, 5]) costs.learn(rows, singleMs(round) * (1 + 0.4 * (rows - 1)));
    }
  }

  /** Costs are taken to be somewhat lower than they may be. */
  function expectCosts(): void {
    for (const rows of [1, 2, 3, 4, 5]) {
      const part = costs.of(rows) / (1 + 0.4 * (rows - 1));
      expect(part).toBeGreaterThan(0.9);
      expect(part).toBeLessThan(1.05);
    }
  }

  it('are learned in steps of one row', () => {
    timeSteps(60, () => 7);
    expectCosts();
  });

  it('stay what they were when the machine becomes slower while only one number of rows is used', () => {
    timeSteps(60, () => 7);
    for (let i = 0; i < 100; i++) costs.learn(3, 2 * 7 * 1.8);
    expectCosts();
  });

  it('are found while the machine becomes faster and slower all the time', () => {
    timeSteps(400, (round) => 10 * (1.5 + Math.sin(round / 9)));
    expectCosts();
  });

  it('are hardly changed by one step that was disturbed', () => {
    timeSteps(60, () => 7);
    costs.learn(4, 700);
    expectCosts();
  });

  it('are not led far astray by a disturbed first step, nor for long', () => {
    for (let i = 0; i < 20; i++) costs.learn(1, 10);
    const before = costs.of(3);
    costs.learn(3, 1_000);
    expect(costs.of(3)).toBeGreaterThan(before);
    expect(costs.of(3)).toBeLessThan(2.5);
    for (let i = 0; i < 8; i++) costs.learn(3, 18);
    expect(costs.of(3)).toBeLessThan(1.8 * 1.1);
  });

  it('are not known before the first step, of which one too short for the clock says nothing', () => {
    costs.learn(1, 0);
    expect(costs.isKnown).toBe(false);
    costs.learn(3, 5);
    expect(costs.isKnown).toBe(true);
    timeSteps(60, () => 7);
    expectCosts();
  });
});

describe('chances behind matches', () => {
  it('are learned of each length of long ones', () => {
    const chances = new AcceptanceRates();
    for (let record = 0; record < 8; record++) {
      for (let matched = 0; matched < 16; matched++) chances.learn(matched, matched !== 15);
    }
    expect(chances.of(14)).toBeGreaterThan(0.9);
    expect(chances.of(15)).toBeLessThan(0.2);
    // Nothing is known of this length but what all long matches together teach.
    expect(chances.of(25)).toBeGreaterThan(0.6);
    expect(chances.of(25)).toBeLessThan(0.95);
  });

  it('begin with what other texts taught', () => {
    const all = new AcceptanceRates();
    const misled = new AcceptanceRates(all);
    for (let i = 0; i < 100; i++) misled.learn(3, false);
    expect(new AcceptanceRates(all).of(3)).toBeLessThan(0.1);
    expect(new AcceptanceRates(all).of(4)).toBe(new AcceptanceRates().of(4));
  });
});
