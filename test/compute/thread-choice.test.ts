import { describe, expect, it } from 'vitest';
import { ThreadChoice } from '../../src/compute/thread-choice.js';

/** Runs `steps` steps of `rows` whose times are `aloneMs` and `teamMs`; how many used the team. */
function run(choice: ThreadChoice, rows: number, steps: number, aloneMs: number, teamMs: number): number {
  let withTeam = 0;
  for (let step = 0; step < steps; step++) {
    const team = choice.useTeam(rows);
    if (team) withTeam++;
    choice.learn(rows, team, team ? teamMs : aloneMs);
  }
  return withTeam;
}

describe('thread choice', () => {
  it('takes what is faster, after a few tries of each', () => {
    expect(run(new ThreadChoice(), 1, 240, 1, 0.5)).toBe(220);
    expect(run(new ThreadChoice(), 1, 240, 0.5, 1)).toBe(20);
  });

  it('learns for each number of rows apart', () => {
    const choice = new ThreadChoice();
    run(choice, 1, 240, 0.5, 1);
    expect(run(choice, 4, 240, 4, 2)).toBe(220);
  });

  it('changes its mind when the machine becomes busy, and again when it is quiet', () => {
    const choice = new ThreadChoice();
    run(choice, 1, 256, 1, 0.5);
    expect(run(choice, 1, 256, 1, 20)).toBeLessThan(10);
    run(choice, 1, 10, 1, 0.5);
    expect(run(choice, 1, 200, 1, 0.5)).toBe(200);
  });

  it('is not misled by a step that was interrupted', () => {
    const choice = new ThreadChoice();
    run(choice, 1, 240, 1, 0.5);
    run(choice, 1, 2, 1, 50);
    expect(choice.useTeam(1)).toBe(true);
  });

  it('always uses the team for wide steps', () => {
    expect(run(new ThreadChoice(), 64, 50, 1, 100)).toBe(50);
  });
});
