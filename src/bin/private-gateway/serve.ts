import { readFile } from 'node:fs/promises';
import { AppError, createLogger, systemClock, VERSION, type LogEntry, unixMs } from '../../base/index.js';
import type { Interrupts, Terminal } from '../../cli/index.js';
import { describeFailure } from '../../endpoint/index.js';
import {
  createGateway,
  disableCoreDumps,
  findUnsafeSettings,
  keepInspectorShut,
  readProcessFacts,
  toAuthority,
  type Gateway,
  type GatewaySetup,
  type SafetyFinding,
} from '../../gateway/index.js';
import { readSecret } from '../read-secret.js';
import { readAdminSetting } from './admin-setting.js';
import { codeTables } from './codes.js';

/** How a gateway is served. */
export interface ServeOptions {
  readonly path: string;
  readonly transport: GatewaySetup['transport'];
  /** Settings that may write what was said to a disk are warned of, and not refused. */
  readonly isForced: boolean;
}

/** Serves until a signal asks for the end and all answers under way have ended. Errors: those of `createGateway`. */
export async function serve(
  { path, transport, isForced }: ServeOptions,
  { stdout, stderr, env }: Terminal,
  interrupts: Interrupts,
): Promise<void> {
  const isAdminOn = readAdminSetting(env);
  const findings = await findLeaks(env);
  if (findings.length > 0 && !isForced) throw mayLeak(findings);
  for (const finding of findings) stderr.write(`warning: ${describeFinding(finding)}\n`);
  keepInspectorShut();
  const logLine = (line: string): void => void stderr.write(`${line}\n`);
  const logger = createLogger({ sink: logLine, clock: systemClock });
  const log = (entry: LogEntry): void => logger.log('info', entry);
  // What V8 prints of an error that nobody caught may quote what a client sent.
  const onCrash = (error: unknown): void => {
    log({ ...describeFailure(error), event: 'crashed' });
    process.exit(1);
  };
  process.on('uncaughtException', onCrash);
  await interrupts.duringService(async (interrupted) => {
    const asked = new AbortController();
    const stop = AbortSignal.any([interrupted, asked.signal]);
    await using gateway = await createGateway(path, {
      build: VERSION,
      codes: codeTables,
      transport,
      readSecret: (source) => readSecret(source, { env, what: 'the key of a runtime', code: 'runtime_secret_missing' }),
      logLine,
      log,
      clock: systemClock,
      now: unixMs,
      httpLimits: await toHttpLimits(),
      ...(isAdminOn && { admin: { stop: () => asked.abort() } }),
    });
    const onHangup = (): void => void gateway.reload();
    process.on('SIGHUP', onHangup);
    try {
      stdout.write(`listening on http://${toAuthority(gateway)}\n`);
      stderr.write(`transport: ${gateway.transport}; ${describeKeys(gateway)}\n`);
      if (gateway.adminUrl !== undefined) stderr.write(`admin page: ${gateway.adminUrl}\n`);
      if (!stop.aborted) await new Promise((done) => stop.addEventListener('abort', done, { once: true }));
      stderr.write('stopping: answers under way may end first; a second signal ends at once\n');
      await gateway.drain();
    } finally {
      process.off('SIGHUP', onHangup);
    }
  });
}

/** Files that the gateway itself has open: databases, sockets, threads. */
const OWN_FILES = 128;
/** More clients than that at once are another machine's. */
const MAX_CONNECTIONS = 10_000;

/** Clients get half of the files that may be open: each of their requests needs another connection, to a runtime. */
async function toHttpLimits(): Promise<{ readonly connections: number }> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return { connections: Math.max(1, Math.min(MAX_CONNECTIONS, Math.floor((files - OWN_FILES) / 2))) };
}

/** What of this process may write what was said to a disk. Core dumps are turned off where they can be. */
async function findLeaks(env: Terminal['env']): Promise<readonly SafetyFinding[]> {
  await disableCoreDumps();
  return findUnsafeSettings(await readProcessFacts(env));
}

function mayLeak(findings: readonly SafetyFinding[]): AppError {
  const texts = findings.map((finding) => describeFinding(finding)).join('\n  ');
  const message = `this process may write prompts, answers or keys to a disk:\n  ${texts}\nTurn that off, or serve with --force.`;
  return new AppError('retention_unsafe', message, { settings: findings.map(({ what }) => what).join(', ') });
}

function describeFinding({ what, why, turnOff }: SafetyFinding): string {
  return `${what}: ${why}; ${turnOff}`;
}

function describeKeys({ meter }: Gateway): string {
  const keys = meter.keys().filter(({ state }) => state === 'active').length;
  return `${keys} ${keys === 1 ? 'key' : 'keys'} in force`;
}
