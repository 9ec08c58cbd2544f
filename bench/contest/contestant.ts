// A contestant is a process that has loaded its model and sleeps until its line on standard input: a task in, a rate out.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** How to start one. */
export interface ContestantSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** A contestant that is ready. */
export interface Contestant extends AsyncDisposable {
  readonly name: string;
  /** What it said about itself when it was ready. */
  readonly about: Readonly<Record<string, unknown>>;
  /** Gives it a task and waits for its rate (tokens or gigabytes a second). Throws when it dies or takes too long. */
  ask(task: object): Promise<number>;
  /** Seconds of all cores that it has used so far; NaN where the system does not tell. */
  cpuSeconds(): number;
}

/** A prompt of 3,000 tokens on a machine that others use too. */
const ANSWER_MS = 300_000;
const STOP_MS = 5_000;
/** Lines of standard error kept for the message of an error. */
const KEPT_CHARACTERS = 2_000;

/** Starts one and waits until its model is loaded. */
export async function startContestant({ name, command, args }: ContestantSpec): Promise<Contestant> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (complaint = (complaint + text).slice(-KEPT_CHARACTERS)));
  // The reader of the lines reports the death; this only keeps a failed write from ending the bench.
  child.stdin.on('error', () => {});
  child.on('error', (error) => (complaint = error.message));
  const exited = once(child, 'close').catch(() => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const timer = setTimeout(() => child.kill('SIGKILL'), ANSWER_MS);
    try {
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) {
          await exited;
          throw new Error(`${name} ended without an answer: ${complaint.trim() || 'it wrote nothing'}`);
        }
        // A library may write to standard output too.
        if (value.startsWith('{')) return JSON.parse(value) as Record<string, unknown>;
      }
    } finally {
      clearTimeout(timer);
    }
  };
  const stop = async (): Promise<void> => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(timer);
  };
  try {
    const about = await next();
    return {
      name,
      about,
      async ask(task) {
        child.stdin.write(`${JSON.stringify(task)}\n`);
        const { rate } = await next();
        if (typeof rate !== 'number' || !(rate > 0)) throw new Error(`${name} answered ${String(rate)} as a rate`);
        return rate;
      },
      cpuSeconds: () => readCpuSeconds(child.pid),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Linux counts in hundredths of a second, in fields 14 and 15, behind a name in brackets that may hold anything. */
function readCpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}
