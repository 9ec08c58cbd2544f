// Settings of Node and its system that write memory or messages of a process, with prompts and keys, to a disk or a
// log. This module neither prints nor exits: the composition root refuses to start, or warns.
// --cpu-prof, --heap-prof, --prof and NODE_V8_COVERAGE are not among the findings, since they write names of functions,
// addresses of code and counts. Swap belongs to the system; a machine that must not write memory there encrypts it or
// has none.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

/** Facts about a process. */
export interface ProcessFacts {
  /** Options of Node itself, `process.execArgv`. */
  readonly execArgv: readonly string[];
  /** Its environment: NODE_OPTIONS and NODE_DEBUG are checked. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: {
    readonly onFatalError: boolean;
    readonly onUncaughtException: boolean;
    readonly onSignal: boolean;
  };
  /** The address of the inspector; undefined when it is closed. */
  readonly inspectorUrl: string | undefined;
  /** The core dump settings; undefined: the system does not report them, as outside of Linux. */
  readonly core: CoreFacts | undefined;
}

/** Linux's settings for the dump of a crashed process. */
export interface CoreFacts {
  /** Limit of a dump's bytes; Infinity: no limit. */
  readonly softLimitBytes: number;
  /** Dumps go to a program, which the limit does not stop. Source: core(5). */
  readonly isPiped: boolean;
  /** The kinds of memory in a dump, as a mask; 0: none. Source: core(5), /proc/[pid]/coredump_filter. */
  readonly filter: number;
}

/** One setting through which memory or messages would leak. */
export interface SafetyFinding {
  /** The setting, as the user wrote it. */
  readonly what: string;
  readonly why: string;
  readonly turnOff: string;
}

const REPORT = 'a diagnostic report has the environment, with the keys of runtimes, and messages of errors';
const INSPECTOR = 'a client of the inspector reads all memory: prompts, answers and keys';
const SNAPSHOT = 'a heap snapshot is all memory: prompts, answers and keys';

/** Options of Node, without a value and with dashes, with their effects. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['--report-on-fatalerror', REPORT],
  ['--report-uncaught-exception', REPORT],
  ['--report-on-signal', REPORT],
  ['--inspect', INSPECTOR],
  ['--inspect-brk', INSPECTOR],
  ['--inspect-wait', INSPECTOR],
  ['--heapsnapshot-near-heap-limit', SNAPSHOT],
  ['--heapsnapshot-signal', SNAPSHOT],
  ['--abort-on-uncaught-exception', 'it makes a core dump, which is all memory, of an error'],
  ['--trace-event-categories', 'trace events of HTTP have the addresses of requests'],
  ['--trace-events-enabled', 'trace events of HTTP have the addresses of requests'],
  ['--trace-tls', 'it writes what passes over TLS to the log'],
  ['--tls-keylog', 'with the keys of TLS recorded traffic can be read'],
]);

/** Variables that make Node log the data that it handles. */
const VARIABLES = ['NODE_DEBUG', 'NODE_DEBUG_NATIVE'] as const;

/** The settings of a process through which memory or messages would leak. */
export function findUnsafeSettings(facts: ProcessFacts): readonly SafetyFinding[] {
  const { execArgv, environment, report, inspectorUrl, core } = facts;
  const findings = new Map<string, SafetyFinding>();
  const add = (what: string, why: string, turnOff: string): void => {
    if (!findings.has(what)) findings.set(what, { what, why, turnOff });
  };
  const scan = (options: readonly string[], where: string): void => {
    for (const written of options) {
      const name = toOptionName(written);
      const why = OPTIONS.get(name);
      if (why !== undefined) add(name, why, `start node without ${name} (${where})`);
    }
  };
  scan(execArgv, 'on its command line');
  scan(splitOptions(environment['NODE_OPTIONS'] ?? ''), 'in NODE_OPTIONS');
  // However they were set: by an option, by a configuration file of Node, by code.
  if (report.onFatalError) add('--report-on-fatalerror', REPORT, 'set process.report.reportOnFatalError to false');
  if (report.onUncaughtException) {
    add('--report-uncaught-exception', REPORT, 'set process.report.reportOnUncaughtException to false');
  }
  if (report.onSignal) add('--report-on-signal', REPORT, 'set process.report.reportOnSignal to false');
  if (inspectorUrl !== undefined) add('--inspect', INSPECTOR, 'start node without --inspect');
  for (const name of VARIABLES) {
    if ((environment[name] ?? '') === '') continue;
    add(name, 'Node writes headers, with keys, and parts of messages to the log', `unset ${name}`);
  }
  if (core !== undefined && core.filter !== 0 && (core.softLimitBytes > 0 || core.isPiped)) {
    const how = core.isPiped ? 'write 0x0 to /proc/self/coredump_filter' : 'set the limit to 0: ulimit -c 0';
    add('core dumps', 'a core dump is all memory: prompts, answers and keys', how);
  }
  return [...findings.values()];
}

/** The facts about this process. `environment`: `process.env`, which only programs read. */
export async function readProcessFacts(environment: ProcessFacts['environment']): Promise<ProcessFacts> {
  const { report } = process;
  const inspector = process.getBuiltinModule('node:inspector') as { url(): string | undefined } | undefined;
  return {
    execArgv: process.execArgv,
    environment,
    report: {
      onFatalError: report.reportOnFatalError,
      onUncaughtException: report.reportOnUncaughtException,
      onSignal: report.reportOnSignal,
    },
    inspectorUrl: inspector?.url(),
    core: await readCoreFacts(),
  };
}

/**
 * Keeps SIGUSR1 from opening the inspector, Node's default. Before this call --disable-sigusr1 protects, which Node has
 * from 22.14 on. The returned function removes the handler; the signal then ends the process.
 */
export function keepInspectorShut(): () => void {
  const ignore = (): void => {};
  // Windows has no such signal, and Node ignores the handler there.
  process.on('SIGUSR1', ignore);
  return () => void process.off('SIGUSR1', ignore);
}

/**
 * Keeps this process's memory out of core dumps as far as the system allows: by the content of a dump, and by its size
 * limit, which needs the program `prlimit`. Undefined: no dump, or one without memory.
 */
export async function disableCoreDumps(): Promise<SafetyFinding | undefined> {
  if (process.platform !== 'linux') return undefined;
  await writeFile('/proc/self/coredump_filter', '0x0').catch(() => {});
  await run('prlimit', ['--core=0:0', '--pid', String(process.pid)]);
  const core = await readCoreFacts();
  const report = { onFatalError: false, onUncaughtException: false, onSignal: false };
  return findUnsafeSettings({ execArgv: [], environment: {}, report, inspectorUrl: undefined, core })[0];
}

async function readCoreFacts(): Promise<CoreFacts | undefined> {
  const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  const [limits, pattern, filter] = await Promise.all([
    read('/proc/self/limits'),
    read('/proc/sys/kernel/core_pattern'),
    read('/proc/self/coredump_filter'),
  ]);
  const [, soft] = /^Max core file size\s+(\w+)/m.exec(limits) ?? [];
  if (soft === undefined) return undefined;
  return {
    softLimitBytes: soft === 'unlimited' ? Infinity : Number(soft),
    isPiped: pattern.startsWith('|'),
    // Where the filter cannot be read, the default applies: 0x33.
    filter: filter.trim() === '' ? 0x33 : Number.parseInt(filter, 16),
  };
}

/** Time limit of a program that hangs. */
const PROGRAM_MS = 5_000;

/** Runs a program to its end, with any result. */
function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', timeout: PROGRAM_MS });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}

/** Node accepts underscores for dashes, and a value after `=`. */
function toOptionName(written: string): string {
  const [name = ''] = written.split('=', 1);
  return name.replaceAll('_', '-');
}

/** The options of NODE_OPTIONS: separated by blanks; a part in double quotes is one. Source: Node's ParseNodeOptionsEnvVar. */
function splitOptions(text: string): readonly string[] {
  return (text.match(/(?:[^\s"\\]|\\.|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map((option) =>
    option.replaceAll('"', '').replaceAll('\\', ''),
  );
}
