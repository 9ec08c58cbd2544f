import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { basename } from 'node:path';
import { argv, execArgv, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { locate, systemClock, type Clock } from '../../../../base/index.js';
import type { CompileMode } from './compile-mode.js';
import type { KernelModule } from './modules.js';
import { BEGUN } from './trial-begun.js';

/** One module to be compiled in one mode. */
export type Attempt = readonly [KernelModule, CompileMode];

/** The result of a trial: the results in the attempts' order, and how the process ended if it did not finish. */
export interface Trial {
  /** Undefined: correct; a text: the mistake. */
  readonly results: readonly (string | undefined)[];
  /** Such as `SIGTRAP`, `exit status 133`, or `no result within 60 s`. Undefined when every attempt has its result. */
  readonly ended: string | undefined;
  /** It was ended because no result came in time. */
  readonly isLate?: boolean;
}

/**
 * Runs attempts in a process of its own. Rejects when no process could start, or when it was ended from outside: that
 * proves nothing about V8.
 */
export type RunTrial = (attempts: readonly Attempt[]) => Promise<Trial>;

/** A slow machine compiles and checks a module in some 5 s. A compiler that hangs must not hold up a start for ever. */
const TRIAL_MS = 60_000;
/**
 * Options of node that change V8's compilation, and so belong to a trial. Others (preloads, an inspector) must not run
 * twice.
 */
const V8_OPTION =
  /^--(no-?)?(experimental-wasm|wasm|liftoff|turbo|turboshaft|jitless|enable-(?!source-maps|network-family|etw|fips)|single-threaded|stress|maglev|sparkplug)/;

/** Names of Node's program, by distributions too. */
const NODE_NAME = /^node(js)?[-\d.]*(\.exe)?$/i;
/** Signals that end a process from outside, or for lack of memory; a failing compiler ends it otherwise. */
const FROM_OUTSIDE: readonly unknown[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGKILL'];

/** The V8 options that this process was started with. V8 takes `_` for `-`. */
export function v8Options(given: readonly string[] = processOptions()): string[] {
  return given.filter((option) => V8_OPTION.test(option.replaceAll('_', '-')));
}

/** A worker thread's `execArgv` is its creator's choice; V8 has one set of options, those of the command line. */
function processOptions(): readonly string[] {
  // Other hosts may have no report.
  const { report } = process as { report?: NodeJS.ProcessReport & { excludeNetwork?: boolean } };
  if (isMainThread || report === undefined) return execArgv;
  const { excludeNetwork = false } = report;
  // Or the names of all connections would be looked up.
  report.excludeNetwork = true;
  const { header } = report.getReport() as { header?: { commandLine?: string[] } };
  report.excludeNetwork = excludeNetwork;
  const line = header?.commandLine?.slice(1) ?? execArgv;
  // The script ends them. A word after an option without a value of its own may be the value.
  const end = line.findIndex((option, i) => !option.startsWith('-') && !/^-[^=]*$/.test(line[i - 1] ?? ''));
  return end === -1 ? line : line.slice(0, end);
}

/** Why no process can be started that is Node itself; undefined when one can. */
export async function whyNoTrial(): Promise<string | undefined> {
  for (const host of ['electron', 'nw', 'bun', 'deno']) {
    if (process.versions[host] !== undefined) return `${host} is no Node process`;
  }
  // A packaged application would be started again as a whole.
  if (argv.some((argument) => basename(argument) === 'trial-child.js')) return 'this process is such a trial itself';
  if (!NODE_NAME.test(basename(execPath))) return `${basename(execPath)} is not named as Node is`;
  const sea = await import('node:sea').catch(() => undefined);
  if (sea?.isSea() === true) return 'the program is a single executable';
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (permission?.has('child') === false) return "Node's permission model allows no child process";
  return undefined;
}

/** The trial in a process of this Node; `file` is the process's script. */
export function createTrial(
  file = locate('dist/src/compute/devices/cpu/kernels/trial-child.js'),
  limitMs = TRIAL_MS,
  clock: Clock = systemClock,
): RunTrial {
  return (attempts) =>
    new Promise((resolve, reject) => {
      const child = spawn(execPath, [...v8Options(), fileURLToPath(file), JSON.stringify(attempts)], {
        stdio: ['ignore', 'pipe', 'ignore'],
        windowsHide: true,
      });
      child.on('error', reject);
      // Without a process there is no stdout either, where no file can be opened.
      if (child.pid === undefined) return;
      const results: (string | undefined)[] = [];
      let hasBegun = false;
      let isLate = false;
      const wait = (): (() => void) =>
        clock.after(limitMs, () => {
          isLate = true;
          child.kill('SIGKILL');
        });
      let stopWaiting = wait();
      createInterface({ input: child.stdout }).on('line', (line) => {
        const reason = reasonOf(line, attempts[results.length]);
        if (reason !== null) results.push(reason);
        else if (line === BEGUN) hasBegun = true;
        else return;
        // The limit is each attempt's.
        stopWaiting();
        stopWaiting = wait();
      });
      child.on('close', (status, signal) => {
        stopWaiting();
        const how = isLate ? `no result within ${limitMs / 1000} s` : (signal ?? `exit status ${status}`);
        if (results.length === attempts.length) resolve({ results, ended: undefined });
        else if (!hasBegun) reject(new Error(`it ended before it tried anything: ${how}`));
        else if (!isLate && FROM_OUTSIDE.includes(signal)) reject(new Error(`it was ended from outside: ${how}`));
        else resolve({ results, ended: how, ...(isLate && { isLate }) });
      });
    });
}

/** Null where the line is not the result of `attempt`: something else that the process printed. */
function reasonOf(line: string, attempt: Attempt | undefined): string | undefined | null {
  try {
    const { name, mode, reason } = JSON.parse(line) as { name?: unknown; mode?: unknown; reason?: unknown };
    if (attempt === undefined || name !== attempt[0] || mode !== attempt[1]) return null;
    return typeof reason === 'string' ? reason : undefined;
  } catch {
    return null;
  }
}
