import { AppError, describe, systemClock, unixMs, VERSION } from '../../base/index.js';
import type { Interrupts, Terminal } from '../../cli/index.js';
import { createGateway, toAuthority, type Gateway, type GatewaySetup } from '../../gateway/index.js';
import { counted } from '../../words/index.js';
import { protectProcess, toHttpLimits } from '../protect-process.js';
import { readSecret } from '../read-secret.js';
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
  const { log, logLine } = await protectProcess({ env, stderr, isForced });
  await interrupts.duringService(async (interrupted) => {
    const asked = new AbortController();
    const stop = AbortSignal.any([interrupted, asked.signal]);
    await using gateway = await createGateway(path, {
      build: VERSION,
      codes: codeTables,
      transport,
      readSecret: (source, about) => readSecret(source, { env, ...about }),
      telemetryEnv: env,
      logLine,
      log,
      clock: systemClock,
      now: unixMs,
      httpLimits: await toHttpLimits(),
      ...(isAdminOn !== false && { admin: { stop: () => asked.abort(), followsFile: isAdminOn === undefined } }),
    });
    const onHangup = (): void => void gateway.reload();
    process.on('SIGHUP', onHangup);
    try {
      stdout.write(`listening on http://${toAuthority(gateway)}\n`);
      stderr.write(`transport: ${gateway.transport}; ${describeKeys(gateway)}\n`);
      if (gateway.adminUrl !== undefined) stderr.write(`admin page: ${gateway.adminUrl}\n`);
      if (!stop.aborted) await new Promise((done) => stop.addEventListener('abort', done, { once: true }));
      stderr.write('stopping: running answers may end first; a second signal ends at once\n');
      await gateway.drain();
    } finally {
      process.off('SIGHUP', onHangup);
    }
  });
}

function describeKeys({ meter }: Gateway): string {
  const keys = meter.keys().filter(({ state }) => state === 'active').length;
  return `${counted(keys, 'key')} in force`;
}

/** Turns the admin page on or off, whatever the file says. */
const ADMIN_VARIABLE = 'TROUPE_ADMIN_ENABLED';

/** Whether the admin page is turned on, by `true` alone, or off. Undefined: the file says. Errors: `admin_setting_invalid` for what might have meant it. */
export function readAdminSetting(env: Terminal['env']): boolean | undefined {
  const value = env[ADMIN_VARIABLE] ?? '';
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (value === '') return undefined;
  const message = `${ADMIN_VARIABLE} is ${describe(value, true)}; write true to turn the admin page on, or false`;
  throw new AppError('admin_setting_invalid', message);
}
