// Results are JSON lines in bench/results/, which git ignores: one file a day, lines are only ever added.

import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MachineState } from './machine.js';

/** From the repository's root. */
export const RESULTS = 'bench/results';

/** What a measurement printed. */
export type Measured = Readonly<Record<string, unknown>>;

/** A line of results: what was measured, by which part of which run, on what machine. */
export interface ResultLine extends MachineState {
  readonly part: string;
  /** When the run began, ISO 8601: all lines of one run have the same. */
  readonly run: string;
  readonly commit: string;
  readonly measured: Measured;
}

/** Adds lines to the file of the day on which their run began. */
export async function appendResults(folder: string, lines: readonly ResultLine[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const line of lines)
    await appendFile(join(folder, `${line.run.slice(0, 10)}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** Every line of the folder, oldest first. Throws on a line that is not ours: results are not to be written by hand. */
export async function readResults(folder: string): Promise<ResultLine[]> {
  const names = await readdir(folder).catch(() => []);
  const lines: ResultLine[] = [];
  for (const name of names.filter((each) => each.endsWith('.jsonl')).toSorted())
    lines.push(...parseResults(await readFile(join(folder, name), 'utf8'), name));
  return lines;
}

/** The lines of one file; `name` is for the message of the error. */
export function parseResults(text: string, name: string): ResultLine[] {
  return text.split('\n').flatMap((line, i) => {
    if (line === '') return [];
    const parsed: unknown = parseJson(line);
    if (!isResultLine(parsed)) throw new Error(`${name}:${i + 1} is not a line of results; delete it, or the file`);
    return [parsed];
  });
}

/** The lines of one run of `part`: of the run named, or else of the last one. */
export function selectRun(lines: readonly ResultLine[], part: string, run?: string): ResultLine[] {
  const ofPart = lines.filter((line) => line.part === part);
  const wanted =
    run ??
    ofPart
      .map((line) => line.run)
      .toSorted()
      .at(-1);
  return ofPart.filter((line) => line.run === wanted);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isResultLine(value: unknown): value is ResultLine {
  if (typeof value !== 'object' || value === null) return false;
  const line = new Map(Object.entries(value));
  return (
    ['part', 'run', 'commit', 'cpu'].every((name) => typeof line.get(name) === 'string') &&
    ['cores', 'otherWork', 'loadAverage'].every((name) => typeof line.get(name) === 'number') &&
    typeof line.get('measured') === 'object'
  );
}
