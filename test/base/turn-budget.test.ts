import { describe, expect, it } from 'vitest';
import { systemClock, TurnBudget } from '../../src/base/index.js';

/** A clock that only the test moves, and turns of the event loop that are counted. */
function setUp(turnMs: number) {
  let nowMs = 0;
  const budget = new TurnBudget({ ...systemClock, nowMs: () => nowMs }, turnMs);
  const begun: string[] = [];
  const spent: number[] = [];
  let turnNumber = 0;
  /** Runs pieces of so many milliseconds, which are spent a few promises later. */
  const run = (lengthsMs: readonly number[]): void => {
    const [ms, ...rest] = lengthsMs;
    if (ms === undefined) return;
    const piece = async (): Promise<void> => {
      begun.push(`turn ${turnNumber}: ${ms}`);
      for (let i = 0; i < 5; i++) await Promise.resolve();
      nowMs += ms;
    };
    budget.run(
      () => void piece(),
      () => run(rest),
      (spentMs) => spent.push(spentMs),
    );
  };
  const turns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      turnNumber++;
    }
  };
  return { run, turns, begun, spent };
}

describe('a budget of a turn of the event loop', () => {
  it('counts what pieces cause by promises, and leaves what is beyond to the next turns', async () => {
    const { run, turns, begun, spent } = setUp(3);
    run([2, 2, 2, 2, 1]);
    await turns(6);
    expect(spent).toEqual([2, 2, 2, 2, 1]);
    const numInTurn = (turn: number): number => begun.filter((text) => text.startsWith(`turn ${turn}:`)).length;
    const numbers = [...new Set(begun.map((text) => Number(/\d+/.exec(text)?.[0])))];
    expect(numbers.map(numInTurn)).toEqual([2, 2, 1]);
  });

  it('runs pieces that take no time in one turn', async () => {
    const { run, turns, begun } = setUp(1);
    run(Array<number>(100).fill(0));
    await turns(1);
    expect(begun).toHaveLength(100);
    expect(new Set(begun).size).toBe(1);
  });
});
