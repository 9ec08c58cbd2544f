import { VERSION } from '../../base/index.js';
import type { Interrupts, Terminal } from '../../cli/index.js';
import { createHosted } from '../../hosted/index.js';
import { toAuthority } from '../../yaml-file/index.js';
import { protectProcess, toHttpLimits } from '../protect-process.js';
import { codeTables } from './codes.js';
import { toServiceOptions } from './service-options.js';

/** How a node is served. */
export interface ServeOptions {
  readonly path: string;
  /** Settings that may write what was said to a disk are warned of, and not refused. */
  readonly isForced: boolean;
}

/** Serves until a signal asks for the end and all answers under way have ended. Errors: those of `createHosted`. */
export async function serve(
  { path, isForced }: ServeOptions,
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<void> {
  const { stdout, stderr, env } = terminal;
  const serving = await protectProcess({ env, stderr, isForced });
  await interrupts.duringService(async (stop) => {
    await using hosted = await createHosted(path, {
      ...toServiceOptions(terminal),
      ...serving,
      build: VERSION,
      telemetryEnv: env,
      codes: codeTables,
      httpLimits: await toHttpLimits(),
    });
    const onHangup = (): void => void hosted.reload();
    process.on('SIGHUP', onHangup);
    try {
      stdout.write(`listening on http://${toAuthority(hosted)}\n`);
      stderr.write(`transport: ${hosted.transport}\n`);
      const { operator } = hosted;
      if (operator !== undefined) stderr.write(`operator page: ${operator.url} (its token: ${operator.tokenPath})\n`);
      if (!stop.aborted) await new Promise((done) => stop.addEventListener('abort', done, { once: true }));
      stderr.write('stopping: running answers may end first; a second signal ends at once\n');
      await hosted.drain();
    } finally {
      process.off('SIGHUP', onHangup);
    }
  });
}
