// Lines of results as what the tables and the picture are made of.

import type { BarGroup } from './bars.js';
import { judge, toRow, verdictHead, type ContestResult } from '../contest/judge.js';
import { goalLines } from '../contest/goals.js';
import { measures } from '../contest/measures.js';
import type { ResultLine } from '../record/results.js';
import { median } from '../record/statistics.js';
import { markdownTable } from '../record/table.js';
import type { Roofline, RooflinePoint } from './roofline.js';

/** A line of the ladder, as bench/machine prints it. */
interface LadderLine {
  readonly place: 'cache' | 'memory';
  readonly step: string;
  readonly quant: string;
  readonly rows: number;
  readonly threads: number;
  readonly gmacPerSecond: number | null;
  readonly macsPerByte: number;
  readonly node: string;
}

/** What the ladder's steps are to a reader. */
const STEPS: Readonly<Record<string, string>> = {
  javascript: 'a loop in JavaScript',
  scalar: 'the same in WASM',
  portable: 'SIMD (portable)',
  narrow: 'relaxed, narrow tiles',
  relaxed: 'relaxed SIMD',
  vnni: 'relaxed SIMD, vnni',
};

const measuredOf = <T>(lines: readonly ResultLine[]): T[] => lines.map((line) => line.measured as unknown as T);

/** The ladder's lines with a speed; steps that are wrong on the machine have none. */
function ladderOf(machine: readonly ResultLine[]): (LadderLine & { readonly gmacPerSecond: number })[] {
  const lines = measuredOf<LadderLine>(machine.filter(({ measured }) => measured['bench'] === 'ladder'));
  return lines.flatMap((line) => (line.gmacPerSecond === null ? [] : [{ ...line, gmacPerSecond: line.gmacPerSecond }]));
}

/** Newest first. */
function nodesOf(lines: readonly { readonly node: string }[]): string[] {
  const major = (node: string): number => Number.parseInt(node, 10);
  return [...new Set(lines.map(({ node }) => node))].toSorted((a, b) => major(b) - major(a));
}

/** The verdicts of a contest as the published table. */
export function contestTable(peers: readonly ResultLine[]): string {
  return markdownTable(verdictHead, judge(measuredOf<ContestResult>(peers)).map(toRow));
}

/** GMAC/s of each step on one thread: one row of activations and 64, by Node version. */
export function ladderTable(machine: readonly ResultLine[]): string {
  const lines = ladderOf(machine).filter(({ threads, place }) => threads === 1 && place === 'cache');
  const columns = nodesOf(lines).flatMap((node) =>
    ['q8', 'q4'].flatMap((quant) => [1, 64].map((rows) => ({ node, quant, rows }))),
  );
  const steps = Object.keys(STEPS).filter((step) => lines.some((line) => line.step === step));
  const head = [
    'GMAC/s, one thread',
    ...columns.map(({ node, quant, rows }) => `${quant} × ${rows}, Node ${Number.parseInt(node, 10)}`),
  ];
  const rows = steps.map((step) => [
    STEPS[step],
    ...columns.map(
      (at) =>
        lines.find(
          (line) => line.step === step && line.node === at.node && line.quant === at.quant && line.rows === at.rows,
        )?.gmacPerSecond,
    ),
  ]);
  return markdownTable(head, rows);
}

/** The picture: roofs and ladder of all threads, kernels by Node version, and whole models of everyone. */
export function toRoofline(machine: readonly ResultLine[], peers: readonly ResultLine[], heading: string): Roofline {
  const ladder = ladderOf(machine);
  const threads = Math.max(...ladder.map((line) => line.threads));
  const threadGroup = ladder.filter((line) => line.threads === threads);
  const [newest] = nodesOf(threadGroup);
  const rungs = threadGroup.filter(({ quant, rows, node }) => quant === 'q8' && rows === 64 && node === newest);
  const reads = machine.flatMap(({ measured }) =>
    measured['bench'] === 'memory' ? [Number(measured['gbPerSecond'])] : [],
  );
  return {
    heading,
    gbPerSecond: Math.max(...reads),
    ladder: rungs
      .map(({ step, gmacPerSecond }) => ({ step: STEPS[step] ?? step, gmacPerSecond }))
      .toSorted((a, b) => a.gmacPerSecond - b.gmacPerSecond),
    points: [...kernelPoints(threadGroup), ...modelPoints(measuredOf<ContestResult>(peers))],
  };
}

/** The fastest step of each product: what the engine would choose. */
function kernelPoints(threadGroup: readonly (LadderLine & { readonly gmacPerSecond: number })[]): RooflinePoint[] {
  return nodesOf(threadGroup).flatMap((node) =>
    ['q8', 'q4'].flatMap((quant) =>
      [1, 64].flatMap((rows) => {
        const place = rows === 1 ? 'memory' : 'cache';
        const found = threadGroup.filter(
          (line) => line.node === node && line.quant === quant && line.rows === rows && line.place === place,
        );
        const [best] = found.toSorted((a, b) => b.gmacPerSecond - a.gmacPerSecond);
        if (best === undefined) return [];
        const { macsPerByte, gmacPerSecond } = best;
        const title = `${quant}, ${rows} rows, Node ${node}: ${gmacPerSecond} GMAC/s`;
        return [{ series: seriesOf('ours', node), kind: 'kernel' as const, macsPerByte, gmacPerSecond, title }];
      }),
    ),
  );
}

/** Decode and prefill of the contest's files. */
function modelPoints(results: readonly ContestResult[]): RooflinePoint[] {
  return results.flatMap(({ file, measure, contestant, node, runs, weightBytes, multiplyAdds }) => {
    if (contestant === 'memory' || (measure !== 'decode' && measure !== 'prefill')) return [];
    const rate = median(runs);
    const rows = measure === 'prefill' ? measures.prefill.promptTokens : 1;
    const series = seriesOf(contestant, node);
    const title = `${series}: ${file}, ${measures[measure].title}, ${rate} tok/s`;
    const macsPerByte = (rows * multiplyAdds) / weightBytes;
    return [{ series, kind: 'model' as const, macsPerByte, gmacPerSecond: (rate * multiplyAdds) / 1e9, title }];
  });
}

/** The Node of the chart: the one in long-term support now (nodejs.org, release schedule). The tables have all. */
const CHART_NODE = 24;
const CONTESTANTS = [
  ['ours', `Troupe, Node ${CHART_NODE}`],
  ['bare', 'llama.cpp'],
  ['node', 'node-llama-cpp'],
] as const;

/** A group of bars for each line of the contest that llama.cpp and the chart's Node ran; lengths are over llama.cpp. */
export function toBars(peers: readonly ResultLine[]): BarGroup[] {
  const results = measuredOf<ContestResult>(peers);
  const isOfChart = ({ contestant, node = '' }: ContestResult): boolean =>
    contestant !== 'ours' || Number.parseInt(node.replace(/^v/, ''), 10) === CHART_NODE;
  return goalLines.flatMap(({ file, measure }) => {
    const ran = results.filter((result) => result.file === file && result.measure === measure && isOfChart(result));
    const rateOf = (name: string): number | undefined => {
      const found = ran.find(({ contestant }) => contestant === name);
      return found === undefined ? undefined : median(found.runs);
    };
    const bare = rateOf('bare');
    if (bare === undefined || rateOf('ours') === undefined) return [];
    const bars = CONTESTANTS.flatMap(([name, series]) => {
      const rate = rateOf(name);
      return rate === undefined ? [] : [{ series, tokensPerSecond: rate, ratio: rate / bare }];
    });
    return [{ title: file, measure: measures[measure].title, bars }];
  });
}

function seriesOf(contestant: string, node: string | undefined): string {
  if (contestant === 'bare') return 'llama.cpp';
  if (contestant === 'node') return 'llama.cpp, Node binding';
  return `ours, Node ${Number.parseInt((node ?? '').replace(/^v/, ''), 10)}`;
}
