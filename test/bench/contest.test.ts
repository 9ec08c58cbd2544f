import { expect, it } from 'vitest';
import { startContestant } from '../../bench/contest/contestant.js';
import { isAsked } from '../../bench/contest/contest.js';
import { goalLines, goalOf } from '../../bench/contest/goals.js';
import { judge, toRow, type ContestResult } from '../../bench/contest/judge.js';
import { measures, promptOf, taskOf } from '../../bench/contest/measures.js';

const result = (contestant: string, runs: number[], node?: string): ContestResult => ({
  file: '1.1B Q4_0',
  measure: 'decode',
  contestant,
  ...(node !== undefined && { node }),
  runs,
  weightBytes: 5e8,
  multiplyAdds: 1e9,
});
const judgeDecode = (...results: ContestResult[]) => judge(results);

it('ratios are of medians: ours over each peer, and over the tokens that the bandwidth allows', () => {
  const [verdict] = judgeDecode(
    result('ours', [40, 42, 1], 'v24.0.0'),
    result('bare', [50, 10, 40]),
    result('node', [20], 'v24.0.0'),
    result('memory', [25, 25, 90]),
  );
  expect(verdict).toMatchObject({ rate: 40, ratios: { bare: 1, node: 2, memory: 0.8 } });
});

it('a goal of several is met by any one of them, and missed when all are', () => {
  const met = (ours: number, bare: number, memory: number) =>
    judgeDecode(result('ours', [ours], 'v24.0.0'), result('bare', [bare]), result('memory', [memory]))[0]?.isMet;
  expect(met(42, 40, 30)).toBe(true);
  expect(met(36, 40, 20)).toBe(true);
  expect(met(36, 40, 30)).toBe(false);
});

it('each version of Node is judged by its own goal', () => {
  const verdicts = judgeDecode(
    result('ours', [30], 'v24.21.0'),
    result('ours', [30], 'v20.20.2'),
    result('bare', [40]),
    result('memory', [30]),
  );
  expect(verdicts.map(({ node, isMet }) => [node, isMet])).toEqual([
    ['v24.21.0', false],
    ['v20.20.2', true],
  ]);
});

it('without a peer nothing is met or missed', () => {
  const [verdict] = judgeDecode(result('ours', [30], 'v20.20.2'));
  expect(verdict).toMatchObject({ isMet: undefined, isNodeGoalMet: undefined });
  expect(verdict && toRow(verdict)).toContain('not measured');
});

it('every goal is above 0, and a Node without the wide registers is asked less, or nothing', () => {
  for (const line of goalLines) {
    const [wide, narrow] = [goalOf(line, 'v24.1.0'), goalOf(line, '22.20.0')];
    expect(goalOf(line, 'v26.0.0')).toBe(wide);
    for (const goal of Object.values(narrow)) expect(goal).toBeGreaterThan(0);
    if (wide.bare !== undefined) expect(wide.bare).toBeGreaterThan(narrow.bare ?? 0);
    expect(wide.bare ?? wide.memory).toBeGreaterThan(0);
  }
});

it('no run repeats the beginning of another, but for the one prompt that is kept', () => {
  const names = Object.keys(measures) as (keyof typeof measures)[];
  for (const name of names) {
    const beginnings = [1, 2, 3, 4, 5, 6].flatMap((run) =>
      taskOf(name, run).prompts.map((ids) => ids.slice(0, 8).join()),
    );
    expect(new Set(beginnings).size, name).toBe(measures[name].isPromptKept ? 1 : beginnings.length);
  }
});

it('prompts are ids that every vocabulary of the contest has, none of them special', () => {
  for (const id of promptOf(1000, 7, 3000)) {
    expect(id).toBeGreaterThanOrEqual(300);
    expect(id).toBeLessThan(32_000 - 1);
  }
});

it('lines are chosen by words in the names of file and measure', () => {
  expect(isAsked([], '1.1B Q4_0', 'decode')).toBe(true);
  expect(isAsked(['q4_0', 'decode'], '1.1B Q4_0', 'decode')).toBe(true);
  expect(isAsked(['q8_0'], '1.1B Q4_0', 'decode')).toBe(false);
});

const script = (source: string) => ({ name: 'a script', command: process.execPath, args: ['-e', source] });
const ECHO = `console.log('{"node":"x"}');
process.stdin.on('data', (line) => console.log('a note\\n' + JSON.stringify({ rate: JSON.parse(line).times * 2 })))`;

it('a contestant answers task after task, and what else it prints is passed over', async () => {
  await using contestant = await startContestant(script(ECHO));
  expect(contestant.about).toEqual({ node: 'x' });
  expect(await contestant.ask({ times: 4 })).toBe(8);
  expect(await contestant.ask({ times: 5 })).toBe(10);
});

it('an answer that is no rate is refused', async () => {
  await using contestant = await startContestant(script(ECHO));
  await expect(contestant.ask({ times: 'many' })).rejects.toThrow('a script answered null as a rate');
});

it('a contestant that dies is named, with what it complained of', async () => {
  const dying = `console.error('no such model'); process.exitCode = 3`;
  await expect(startContestant(script(dying))).rejects.toThrow(/a script ended without an answer: no such model/);
  await expect(startContestant({ name: 'nobody', command: '/no/such/file', args: [] })).rejects.toThrow(/nobody ended/);
});
