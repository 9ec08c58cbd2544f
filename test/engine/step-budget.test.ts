import { describe, expect, it } from 'vitest';
import { StepBudget } from '../../src/engine/scheduling/step-budget.js';

/** A machine on which 8 decoding rows take `decodeMs` and each prompt row `rowMs` more; a tile of four begins with two more. */
function run(budget: StepBudget, steps: number, decodeMs: number, rowMs: number): number[] {
  return Array.from({ length: steps }, () => {
    const rows = budget.promptRows(8);
    budget.learn(8, rows, decodeMs + rowsAndTiles(rows) * rowMs);
    return rows;
  });
}

/** What so many prompt rows beside 8 cost, in rows. */
function rowsAndTiles(rows: number): number {
  return rows + 2 * Math.ceil(rows / 4);
}

describe('step budget', () => {
  it('gives a prompt alone all rows', () => expect(new StepBudget(128).promptRows(0)).toBe(128));

  it('keeps a step beside others within 1.55 times of what it takes without the prompt', () => {
    const budget = new StepBudget(128);
    budget.learn(8, 0, 100);
    expect(run(budget, 20, 100, 4.9).at(-1)).toBe(7);
  });

  it('takes 12 ms, which are not noticeable, whatever the others need', () => {
    const budget = new StepBudget(128);
    budget.learn(8, 0, 0.5);
    // 40 rows take 11.7 of them, and 41 would take 12.3.
    expect(run(budget, 20, 0.5, 0.195).at(-1)).toBe(40);
  });

  it('never stops a prompt, and never exceeds the step', () => {
    const budget = new StepBudget(128);
    budget.learn(8, 0, 1);
    expect(run(budget, 20, 1, 1000).at(-1)).toBe(1);
    const fast = new StepBudget(128);
    fast.learn(8, 0, 1000);
    expect(run(fast, 20, 1000, 0.01).at(-1)).toBe(128);
  });

  it('learns from mixed steps alone, as after a restart', () => {
    const budget = new StepBudget(128);
    budget.learn(0, 128, 640);
    expect(run(budget, 20, 100, 4.9).at(-1)).toBe(7);
  });

  it('is not misled by a few steps that were disturbed just before the prompt came', () => {
    const budget = new StepBudget(128);
    for (let step = 0; step < 10; step++) budget.learn(8, 0, 100);
    for (let step = 0; step < 3; step++) budget.learn(8, 0, 250);
    expect(run(budget, 20, 100, 4.9).at(-1)).toBe(7);
  });

  it('does not give a prompt everything when steps have become faster since it last saw one without', () => {
    const budget = new StepBudget(128);
    for (let step = 0; step < 15; step++) budget.learn(8, 0, 80);
    const rows = run(budget, 140, 40, 1.96);
    expect(Math.max(...rows)).toBeLessThanOrEqual(32);
    expect(rows.at(-1)).toBe(7);
  });

  it('gives less to a prompt as those who decode become slower with their contexts', () => {
    const budget = new StepBudget(128);
    for (let step = 0; step < 10; step++) budget.learn(8, 0, 100);
    // They have taken 128 of the 155 ms: what is left, and fair beside them, is 1.3 times what they took at their last looks.
    const rows = Array.from({ length: 300 }, (_, step) => run(budget, 1, 100 + step / 10, 5)[0]);
    expect(rows.slice(280).filter((count) => count !== 0)).toEqual(expect.arrayContaining([4]));
    expect(Math.max(...rows.slice(280).map(Number))).toBe(4);
  });

  it('measures by more who decode anew', () => {
    const budget = new StepBudget(128);
    for (let step = 0; step < 10; step++) budget.learn(1, 0, 20);
    for (let step = 0; step < 10; step++) budget.learn(8, 0, 100);
    expect(run(budget, 20, 100, 4.9).at(-1)).toBe(7);
  });

  it('means less where steps are disturbed, so that one in a hundred is beyond 1.7 times', () => {
    const budget = new StepBudget(128);
    for (let step = 0; step < 10; step++) budget.learn(8, 0, 100);
    const times = Array.from({ length: 4000 }, (_, step) => {
      const rows = budget.promptRows(8);
      // Every eighth takes three tenths longer.
      const elapsedMs = (100 + rowsAndTiles(rows) * 5) * (step % 8 === 0 ? 1.3 : 1);
      budget.learn(8, rows, elapsedMs);
      return elapsedMs;
    });
    const beyond = times.slice(1000).filter((elapsedMs) => elapsedMs > 170).length;
    expect(beyond).toBeGreaterThan(0);
    expect(beyond).toBeLessThan(3000 * 0.015);
  });

  it('follows a machine that becomes slower', () => {
    const budget = new StepBudget(128);
    budget.learn(8, 0, 100);
    run(budget, 20, 100, 5);
    expect(run(budget, 20, 100, 10).at(-1)).toBe(3);
  });

  it('tells a machine that has become slower from rows that cost more', () => {
    const budget = new StepBudget(128);
    for (let step = 0; step < 10; step++) budget.learn(8, 0, 100);
    run(budget, 50, 100, 5);
    const slow = run(budget, 100, 200, 10);
    // It may be slow for a moment only, in which a prompt is not to be in the way; …
    expect(Math.max(...slow.slice(5, 34))).toBe(1);
    // … or it stays slower: then a prompt gets what makes a step up to 1.3 times as long as without it.
    expect(Math.min(...slow.slice(-10))).toBeGreaterThanOrEqual(3);
    expect(Math.max(...slow.slice(-10))).toBeLessThanOrEqual(4);
    // Steps that were slow without warning were disturbances, which leave 1.25 times at least: three rows of 5 ms.
    expect(Math.min(...run(budget, 50, 100, 5).slice(-10))).toBeGreaterThanOrEqual(3);
  });

  it('lets no prompt stand still on a machine whose pace halves every few seconds', () => {
    const budget = new StepBudget(128);
    for (let step = 0; step < 10; step++) budget.learn(8, 0, 100);
    const rows = Array.from({ length: 40 }, (_, stretch) =>
      run(budget, 30, stretch % 2 ? 100 : 200, stretch % 2 ? 5 : 10),
    ).flat();
    expect(rows.reduce((sum, count) => sum + count, 0) / rows.length).toBeGreaterThan(3);
  });
});
