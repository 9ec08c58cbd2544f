// A contest: all contestants load the same file, sleep, and are asked in turns, so that what the machine does in one
// minute falls on all of them.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { busySeconds } from '../record/machine.js';
import { orderOfRound, significant } from '../record/statistics.js';
import { startContestant, type Contestant, type ContestantSpec } from './contestant.js';
import { goalLines, type FileName } from './goals.js';
import type { ContestResult } from './judge.js';
import { measures, taskOf, type MeasureName } from './measures.js';
import { costOfToken, findModelFile, type TokenCost } from './model-files.js';
import { benchFolder, findNodeBinding, findPython } from './peers.js';

/** What a contest is asked to do. */
export interface ContestPlan {
  /** Interpreters of ours, the newest first: it also reads the memory and runs the binding. */
  readonly nodes: readonly string[];
  readonly threads: number;
  /** Measured rounds; one more comes before, for pages, caches and compilers. */
  readonly rounds: number;
  /** Only these files and measures; empty is all. */
  readonly only: readonly string[];
}

/** A result with what else happened while it was measured. */
export interface ContestRecord extends ContestResult {
  readonly threads: number;
  /** Cores that neither the contestant nor another of ours used, in its worst run; NaN where the system does not tell. */
  readonly otherWork: number;
  /** Cores that the sleeping contestants used, in the worst run. */
  readonly sleepersWork: number;
}

/** Runs the contest, file by file; calls `note` with each step and each skipped contestant. */
export async function* runContest(plan: ContestPlan, note: (text: string) => void): AsyncGenerator<ContestRecord> {
  for (const file of new Set(goalLines.map((line) => line.file))) {
    const asked = goalLines.filter((line) => line.file === file && isAsked(plan.only, line.file, line.measure));
    if (asked.length === 0) continue;
    const found = await findModelFile(file);
    if ('reason' in found) {
      note(`${file} is skipped: ${found.reason}`);
      continue;
    }
    note(`${file}: loading`);
    const names = asked.map(({ measure }) => measure);
    yield* contestOn(file, found.path, await costOfToken(found.path), names, plan, note);
  }
}

/** Whether a line of the table is among those asked for: each word names a file or a measure, or a part of its name. */
export function isAsked(only: readonly string[], file: string, measure: string): boolean {
  return only.every((word) => `${file} ${measure}`.toLowerCase().includes(word.toLowerCase()));
}

async function* contestOn(
  file: FileName,
  path: string,
  cost: TokenCost,
  names: readonly MeasureName[],
  plan: ContestPlan,
  note: (text: string) => void,
): AsyncGenerator<ContestRecord> {
  const all: Contestant[] = [];
  try {
    for (const spec of contestantSpecs(path, plan, note)) all.push(await startContestant(spec));
    for (const name of names) {
      const contestants = all.filter((each) => each.name !== 'memory' || isMemoryBound(name));
      const tallies = await playRounds(name, contestants, all, plan, (text) => note(`${file}, ${text}`));
      for (const [contestant, { rates, otherWork, sleepersWork }] of tallies) {
        const { name: whole, about } = contestant;
        const known = Object.fromEntries(Object.entries(about).filter(([key]) => key === 'node' || key === 'kernel'));
        const what = { file, measure: name, contestant: whole.split(' ')[0] ?? whole, ...known };
        const work = { otherWork: significant(otherWork, 2), sleepersWork: significant(sleepersWork, 2) };
        yield { ...what, runs: rates, ...cost, threads: plan.threads, ...work };
      }
    }
  } finally {
    for (const contestant of all.toReversed()) await contestant[Symbol.asyncDispose]();
  }
}

/** A contestant's rates in one measure, and the worst that happened beside them. */
interface Tally {
  readonly rates: number[];
  otherWork: number;
  sleepersWork: number;
}

async function playRounds(
  name: MeasureName,
  contestants: readonly Contestant[],
  all: readonly Contestant[],
  { rounds }: ContestPlan,
  note: (text: string) => void,
): Promise<Map<Contestant, Tally>> {
  const tallies = new Map(
    contestants.map((each): [Contestant, Tally] => [each, { rates: [], otherWork: 0, sleepersWork: 0 }]),
  );
  for (let round = -1; round < rounds; round++) {
    const shown: string[] = [];
    for (const contestant of orderOfRound(contestants, round + 1)) {
      const stopWatch = watchCores(contestant, all);
      const rate = significant(await contestant.ask(contestant.name === 'memory' ? {} : taskOf(name, round + 2)));
      const { others, sleepers } = stopWatch();
      shown.push(`${contestant.name} ${rate}`);
      const tally = tallies.get(contestant);
      if (round < 0 || tally === undefined) continue;
      tally.rates.push(rate);
      tally.otherWork = Math.max(tally.otherWork, others);
      tally.sleepersWork = Math.max(tally.sleepersWork, sleepers);
    }
    note(`${measures[name].title}, ${round < 0 ? 'to warm up' : `${round + 1} of ${rounds}`}: ${shown.join(', ')}`);
  }
  return tallies;
}

/** Whether decode reads all weights for one token, so that the memory's bandwidth is its limit. */
function isMemoryBound(name: MeasureName): boolean {
  return measures[name].rateOf === 'decode' && measures[name].sequences === 1;
}

/** All available contestants; a missing one is skipped with its reason. */
function contestantSpecs(
  path: string,
  { nodes, threads }: ContestPlan,
  note: (text: string) => void,
): ContestantSpec[] {
  const [newest = process.execPath] = nodes;
  const script = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
  const cacheDir = join(benchFolder(), 'cache');
  const specs: ContestantSpec[] = nodes.map((node, i) => ({
    name: `ours ${i}`,
    command: node,
    args: [script('contest/ours.js'), path, String(threads), cacheDir],
  }));
  specs.push({ name: 'memory', command: newest, args: [script('machine/memory-contestant.js'), String(threads)] });
  const python = findPython();
  if ('reason' in python) note(`skipped: ${python.reason}`);
  else
    specs.push({
      name: 'bare',
      command: python.path,
      args: [join(process.cwd(), 'bench/peers/llama-cpp/contestant.py'), path, String(threads)],
    });
  const binding = findNodeBinding();
  if ('reason' in binding) note(`skipped: ${binding.reason}`);
  else
    specs.push({
      name: 'node',
      command: newest,
      args: [join(process.cwd(), 'bench/peers/node-llama-cpp/contestant.mjs'), binding.path, path, String(threads)],
    });
  return specs;
}

/** Begins to count; what is returned ends it: cores used by the others of ours, and by anyone else. */
function watchCores(runner: Contestant, all: readonly Contestant[]): () => { others: number; sleepers: number } {
  const sleepers = all.filter((each) => each !== runner);
  const used = (who: readonly Contestant[]): number => who.reduce((sum, each) => sum + each.cpuSeconds(), 0);
  const [busy, own, asleep, start] = [busySeconds(), used([runner]), used(sleepers), performance.now()];
  return () => {
    const seconds = (performance.now() - start) / 1000;
    const slept = used(sleepers) - asleep;
    return {
      sleepers: slept / seconds,
      others: Math.max(0, busySeconds() - busy - (used([runner]) - own) - slept) / seconds,
    };
  };
}
