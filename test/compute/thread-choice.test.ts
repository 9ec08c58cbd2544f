import { describe, expect, it } from 'vitest';
import { ThreadChoice } from '../../src/compute/thread-choice.js';

/** Runs `steps` steps of `rows` whose times are `aloneMs` and `teamMs`, of which `waitedMs` waiting; how many used the team. */
function run(choice: ThreadChoice, rows: number, steps: number, aloneMs: number, teamMs: number, waitedMs = 0): number {
  let withTeam = 0;
  for (let step = 0; step < steps; step++) {
    const team = choice.useTeam(rows);
    if (team) withTeam++;
    choice.learn(rows, team, team ? { elapsedMs: teamMs, waitedMs } : { elapsedMs: aloneMs, waitedMs: 0 });
  }
  return withTeam;
}

describe('thread choice', () => {
  it('takes what is faster, after a few tries of each', () => {
    expect(run(new ThreadChoice(2), 1, 240, 1, 0.5)).toBe(220);
    expect(run(new ThreadChoice(2), 1, 240, 0.5, 1)).toBe(20);
  });

  it('learns for each number of rows apart', () => {
    const choice = new ThreadChoice(2);
    run(choice, 1, 240, 0.5, 1);
    expect(run(choice, 4, 240, 4, 2)).toBe(220);
  });

  it('changes its mind when the machine becomes busy, and again when it is quiet', () => {
    const choice = new ThreadChoice(2);
    run(choice, 1, 256, 1, 0.5);
    expect(run(choice, 1, 256, 1, 20)).toBeLessThan(10);
    run(choice, 1, 10, 1, 0.5);
    expect(run(choice, 1, 200, 1, 0.5)).toBe(200);
  });

  it('is not misled by a step that was interrupted', () => {
    const choice = new ThreadChoice(2);
    run(choice, 1, 240, 1, 0.5);
    run(choice, 1, 2, 1, 50);
    expect(choice.useTeam(1)).toBe(true);
  });

  it('uses the team for wide steps without a try alone', () => {
    expect(run(new ThreadChoice(2), 64, 50, 1, 100)).toBe(50);
    expect(run(new ThreadChoice(2), 64, 50, 10, 10, 4.9)).toBe(50);
  });

  it('leaves wide steps to one thread where it would not wait so long, and looks for the team less and less', () => {
    const choice = new ThreadChoice(2);
    expect(run(choice, 64, 11, 4, 10, 8)).toBe(3);
    expect(run(choice, 64, 1_000, 4, 10, 8)).toBeLessThan(60);
    run(choice, 64, 64, 10, 6, 1);
    expect(run(choice, 64, 100, 10, 6, 1)).toBe(100);
  });

  it('asks more of a larger team', () => {
    expect(run(new ThreadChoice(4), 64, 50, 10, 10, 7)).toBe(50);
    expect(run(new ThreadChoice(4), 64, 50, 10, 10, 8)).toBeLessThan(20);
  });
});
