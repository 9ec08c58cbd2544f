// What a program that serves others' prompts does with its own process before it listens.
import { readFile } from 'node:fs/promises';
import { AppError, createLogger, systemClock, type LogEntry } from '../base/index.js';
import {
  disableCoreDumps,
  findUnsafeSettings,
  keepInspectorShut,
  readProcessFacts,
  type SafetyFinding,
  type Terminal,
} from '../cli/index.js';
import { describeFailure } from '../endpoint/index.js';

/** The process, and whether settings that may write what was said to a disk are warned of and not refused. */
export interface ProcessOptions extends Pick<Terminal, 'env' | 'stderr'> {
  readonly isForced: boolean;
}

/** The log of a program that serves. */
export interface ServingLog {
  /** Takes one line of JSON, without its end. */
  readonly logLine: (line: string) => void;
  readonly log: (entry: LogEntry) => void;
}

/**
 * Turns off what of Node and the system would write memory or messages to a disk, and logs crashes by their kind alone.
 * Errors: `retention_unsafe` for what cannot be turned off.
 */
export async function protectProcess({ env, stderr, isForced }: ProcessOptions): Promise<ServingLog> {
  await disableCoreDumps();
  const findings = findUnsafeSettings(await readProcessFacts(env));
  if (findings.length > 0 && !isForced) throw mayLeak(findings);
  for (const finding of findings) stderr.write(`warning: ${describeFinding(finding)}\n`);
  keepInspectorShut();
  const logLine = (line: string): void => void stderr.write(`${line}\n`);
  const logger = createLogger({ sink: logLine, clock: systemClock });
  const log = (entry: LogEntry): void => logger.log('info', entry);
  // What V8 prints of an uncaught error may quote what a client sent.
  process.on('uncaughtException', (error: unknown) => {
    log({ ...describeFailure(error), event: 'crashed' });
    process.exit(1);
  });
  return { log, logLine };
}

/** Files that a server itself has open: databases, sockets, threads. */
const OWN_FILES = 128;
/** More clients than that at once are another machine's. */
const MAX_CONNECTIONS = 10_000;

/** Clients get half of the files that may be open: each of their requests needs another connection, to an upstream. */
export async function toHttpLimits(): Promise<{ readonly connections: number }> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return { connections: Math.max(1, Math.min(MAX_CONNECTIONS, Math.floor((files - OWN_FILES) / 2))) };
}

function mayLeak(findings: readonly SafetyFinding[]): AppError {
  const texts = findings.map((finding) => describeFinding(finding)).join('\n  ');
  const message = `this process may write prompts, answers or keys to a disk:\n  ${texts}\nTurn that off, or serve with --force.`;
  return new AppError('retention_unsafe', message, { settings: findings.map(({ what }) => what).join(', ') });
}

function describeFinding({ what, why, turnOff }: SafetyFinding): string {
  return `${what}: ${why}; ${turnOff}`;
}
