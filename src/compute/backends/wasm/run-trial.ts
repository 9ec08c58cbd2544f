import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { execArgv, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { CompileMode } from './compile-mode.js';
import type { KernelModule } from './modules.js';

/** One module to be compiled in one mode. */
export type Attempt = readonly [KernelModule, CompileMode];

/** What a trial found: the results in the attempts' order, and how the process ended if it did not come to the end of them. */
export interface Trial {
  /** Undefined: right; a text: what is wrong. */
  readonly results: readonly (string | undefined)[];
  /** Such as `SIGTRAP`, `exit status 133`, or `no result within 60 s`. Undefined when every attempt has its result. */
  readonly ended: string | undefined;
}

/** Runs attempts in a process of its own. Rejects when no process can be started. */
export type RunTrial = (attempts: readonly Attempt[]) => Promise<Trial>;

/** A slow machine compiles and checks a module in some 5 s; a compiler that does not come back must not hold up a start for ever. */
const TRIAL_MS = 60_000;
/** Options of node that change how V8 compiles, and so belong to what is tried. Others (preloads, an inspector) must not run twice. */
const V8_OPTION =
  /^--(no-?)?(experimental-wasm|wasm|liftoff|turbo|turboshaft|jitless|enable-(?!source-maps|network-family|etw|fips)|single-threaded|stress|maglev|sparkplug)/;

/** The V8 options that this process was started with. */
export function v8Options(given: readonly string[] = execArgv): string[] {
  return given.filter((option) => V8_OPTION.test(option));
}

/** Why no process can be started that is Node itself; undefined when one can. */
export async function whyNoTrial(): Promise<string | undefined> {
  for (const host of ['electron', 'bun', 'deno']) {
    if (process.versions[host] !== undefined) return `${host} is no Node process`;
  }
  // A single executable would start the whole application again.
  const sea = await import('node:sea').catch(() => undefined);
  if (sea?.isSea() === true) return 'the program is a single executable';
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (permission?.has('child') === false) return "Node's permission model allows no child process";
  return undefined;
}

/** The trial in a process of this Node; `file` is what it runs. */
export function createTrial(file = new URL('./trial-child.js', import.meta.url), limitMs = TRIAL_MS): RunTrial {
  return (attempts) =>
    new Promise((resolve, reject) => {
      const child = spawn(execPath, [...v8Options(), fileURLToPath(file), JSON.stringify(attempts)], {
        stdio: ['ignore', 'pipe', 'ignore'],
        windowsHide: true,
      });
      const results: (string | undefined)[] = [];
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
      }, limitMs);
      createInterface({ input: child.stdout }).on('line', (line) => {
        const reason = reasonOf(line, attempts[results.length]);
        if (reason !== null) results.push(reason);
      });
      child.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      child.on('close', (status, signal) => {
        clearTimeout(timer);
        const how = isLate ? `no result within ${limitMs / 1000} s` : (signal ?? `exit status ${status}`);
        resolve({ results, ended: results.length === attempts.length ? undefined : how });
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
