// Asks an operator to approve runtimes that were found. Nothing is written, and nothing contacted again, without a yes.
import { canAsk, openQuestions, type Interrupts, type Questions, type Terminal } from '../../cli/index.js';
import { runtimeKinds, type FoundRuntime, type Novelty } from '../../gateway/index.js';
import { counted } from '../../words/index.js';
import type { Scanned } from './report.js';

/** A runtime that needs an approval. */
export interface Candidate {
  readonly runtime: FoundRuntime;
  readonly novelty: Novelty;
}

/** Who approves: `--yes`, a person, or `none`, as in a script. */
export type Approver = 'all' | 'person' | 'none';

/** Findings of a scan, and the approvals of the operator. */
export interface Approved extends Scanned {
  readonly approver: Approver;
  /** How many runtimes needed an approval and did not get it. */
  readonly numRefused: number;
  /** Runtimes to write, and runtimes that the file has already. */
  readonly runtimes: readonly FoundRuntime[];
}

/** The approver of a run. A program that reads JSON is no person. */
export function approverOf(flags: { readonly yes: boolean; readonly json: boolean }, terminal: Terminal): Approver {
  if (flags.yes) return 'all';
  return !flags.json && canAsk(terminal) ? 'person' : 'none';
}

/** The approved runtimes, in their order. Errors: `interrupted` when Ctrl-C was the answer. */
export async function approve(
  candidates: readonly Candidate[],
  approver: Approver,
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<readonly FoundRuntime[]> {
  if (approver === 'none' || candidates.length === 0) return [];
  if (approver === 'all') return candidates.map(({ runtime }) => runtime);
  using questions = openQuestions(terminal);
  return await interrupts.during((signal) => askFor(candidates, questions, signal));
}

/** Whether one who was shown the lines that change says yes to them. Errors: `interrupted`. */
export async function confirmChange(path: string, terminal: Terminal, interrupts: Interrupts): Promise<boolean> {
  using questions = openQuestions(terminal);
  return await interrupts.during((signal) => isYes(`Write these lines into ${path}?`, questions, signal));
}

async function askFor(
  candidates: readonly Candidate[],
  questions: Questions,
  signal: AbortSignal,
): Promise<readonly FoundRuntime[]> {
  const [first] = candidates;
  if (first !== undefined && candidates.length === 1) {
    return (await isYes(`Write ${describe(first)} into the file?`, questions, signal)) ? [first.runtime] : [];
  }
  const answer = await questions.ask(
    `Write these ${counted(candidates.length, 'runtime')} into the file? y: all, e: each is asked for, n: none [y/e/N] `,
    signal,
  );
  if (/^y(?:es)?$/i.test(answer)) return candidates.map(({ runtime }) => runtime);
  if (!/^e(?:ach)?$/i.test(answer)) return [];
  const approved: FoundRuntime[] = [];
  for (const candidate of candidates) {
    if (await isYes(`  ${describe(candidate)}?`, questions, signal)) approved.push(candidate.runtime);
  }
  return approved;
}

async function isYes(question: string, questions: Questions, signal: AbortSignal): Promise<boolean> {
  return /^y(?:es)?$/i.test(await questions.ask(`${question} [y/N] `, signal));
}

function describe({ runtime: { url, kind }, novelty }: Candidate): string {
  const { title } = runtimeKinds[kind];
  return novelty === 'changed'
    ? `${title} at ${url}, which was another server when it was approved`
    : `${title} at ${url}`;
}
