// From measured rates to ratios, goals and a verdict. Pure: the same for a run that has just ended and for a recorded one.

import { median } from '../record/statistics.js';
import type { Cell } from '../record/table.js';
import { goalLines, goalOf, type Goal } from './goals.js';
import { measures } from './measures.js';

/** What a contest measured of one contestant in one line of the table. */
export interface ContestResult {
  readonly file: string;
  readonly measure: string;
  /** `ours`, `bare`, `node` or `memory`. */
  readonly contestant: string;
  /** Of the contestant's Node; absent for `bare`. */
  readonly node?: string;
  /** Tokens a second, or GB/s of `memory`. */
  readonly runs: readonly number[];
  /** Bytes of weights that one token of decode reads. */
  readonly weightBytes: number;
  readonly multiplyAdds: number;
}

/** A goal and what was reached. */
export interface Verdict {
  readonly file: string;
  readonly measure: string;
  readonly node: string;
  readonly rate: number;
  /** Ours over the peer's; over memory: share of the bandwidth that decode's weights take. */
  readonly ratios: { readonly [K in keyof Goal]-?: number | undefined };
  readonly goal: Goal;
  /** Undefined when what the goal compares with was not measured. */
  readonly isMet: boolean | undefined;
  readonly isNodeGoalMet: boolean | undefined;
}

/** Every line of the table that was measured, for each version of Node. */
export function judge(results: readonly ContestResult[]): Verdict[] {
  return goalLines.flatMap((line) => {
    const measured = results.filter(({ file, measure }) => file === line.file && measure === line.measure);
    const medianOf = (contestant: string): number | undefined => {
      const found = measured.find((result) => result.contestant === contestant);
      return found === undefined ? undefined : median(found.runs);
    };
    return measured
      .filter(({ contestant }) => contestant === 'ours')
      .map(({ node = '', runs, weightBytes }) => {
        const rate = median(runs);
        const over = (peer: number | undefined): number | undefined => (peer === undefined ? undefined : rate / peer);
        const memory = medianOf('memory');
        const isOneSequence = line.measure === 'decode' || line.measure === 'long';
        const ratios = {
          bare: over(medianOf('bare')),
          node: over(medianOf('node')),
          memory: memory === undefined || !isOneSequence ? undefined : (rate * weightBytes) / (memory * 1e9),
        };
        const goal = goalOf(line, node);
        const isMet = isAnyMet(ratios, goal, ['bare', 'memory']);
        const isNodeGoalMet = isAnyMet(ratios, goal, ['node']);
        return { file: line.file, measure: line.measure, node, rate, ratios, goal, isMet, isNodeGoalMet };
      });
  });
}

function isAnyMet(ratios: Verdict['ratios'], goal: Goal, names: readonly (keyof Goal)[]): boolean | undefined {
  const known = names.flatMap((name) => {
    const [ratio, least] = [ratios[name], goal[name]];
    return ratio === undefined || least === undefined ? [] : [ratio >= least];
  });
  return known.length === 0 ? undefined : known.includes(true);
}

/** The head of the verdicts' table. */
export const verdictHead = ['file', 'measure', 'Node', 'tok/s', '÷ bare', '÷ binding', '÷ memory', 'goal', ''];

/** A verdict as a row of the table. */
export function toRow({ file, measure, node, rate, ratios, goal, isMet, isNodeGoalMet }: Verdict): Cell[] {
  const title = Object.entries(measures).find(([name]) => name === measure)?.[1].title ?? measure;
  const version = node.replace(/^v/, '');
  return [
    file,
    title,
    version,
    rate,
    ratios.bare,
    ratios.node,
    ratios.memory,
    showGoal(goal),
    say(isMet, isNodeGoalMet),
  ];
}

function showGoal({ bare, memory, node }: Goal): string {
  const native = [
    bare === undefined ? [] : [`${bare} × bare`],
    memory === undefined ? [] : [`${Math.round(memory * 100)} % of memory`],
  ].flat();
  return [native.join(' or '), ...(node === undefined ? [] : [`${node} × binding`])].join('; ');
}

function say(isMet: boolean | undefined, isNodeGoalMet: boolean | undefined): string {
  const word = (met: boolean | undefined): string => (met === undefined ? 'not measured' : met ? 'met' : 'missed');
  return isNodeGoalMet === undefined ? word(isMet) : `${word(isMet)}; ${word(isNodeGoalMet)}`;
}
