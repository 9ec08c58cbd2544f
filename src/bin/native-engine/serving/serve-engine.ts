import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError, toErrorData, VERSION } from '../../../base/index.js';
import { defaultModelsDir, whyNotListed } from '../../../store/index.js';
import { openModelHost, type EngineOptions } from '../../../models/index.js';
import { allowsAnyPage, checkAllowedHost, checkAllowedOrigin, isLoopbackHost } from '../../../http/index.js';
import { createServer, type ServerOptions } from '../../../server/index.js';
import type { Interrupts, Terminal } from '../../../cli/index.js';
import { toUrlAuthority } from './authority.js';
import { codeTables } from '../codes.js';
import { ownerOfPort } from './port-owner.js';
import { createLogSink } from '../screen-log.js';

/** How long answers under way may go on after the first signal. Kubernetes kills after as long. */
const GRACE_MS = 30_000;

/** Serves until a signal asks for the end and all answers under way have ended. Errors: those of engine and listener. */
export async function serveUntilStopped(
  engineOptions: EngineOptions,
  listenOptions: Pick<ServerOptions, 'host' | 'port' | 'transport' | 'allowedHosts' | 'allowedOrigins'>,
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<void> {
  await interrupts.duringService(async (stop) => {
    const models = await describeModels(engineOptions.modelsDir ?? undefined);
    const { modelsDir } = engineOptions;
    await using engine = await openModelHost({ ...engineOptions, modelsDir: modelsDir && resolve(modelsDir) });
    await using server = await listenOrNameOwner({
      ...listenOptions,
      engine,
      build: VERSION,
      codes: codeTables,
      log: createLogSink(terminal),
    });
    const url = `http://${toUrlAuthority(server.host)}:${server.port}`;
    terminal.stdout.write(`listening on ${url}\n`);
    for (const text of engine.kernelNotes) terminal.stderr.write(`warning: ${text}\n`);
    const lines = [
      `chat page: ${url}/`,
      `clients: base URL ${url}/v1, any API key`,
      `models: ${models}`,
      ...(engine.puller === undefined ? [] : ['pull: a repository such as org/name, when it is first asked for']),
      ...(engine.requireSigned ? [`signatures: ${signersLine(engineOptions)}`] : []),
      `transport: ${server.transport}`,
      ...(terminal.stderr.isTTY ? ['Ctrl-C stops.'] : []),
    ];
    terminal.stderr.write(lines.map((line) => `${line}\n`).join(''));
    if (!stop.aborted) await new Promise((done) => stop.addEventListener('abort', done, { once: true }));
    terminal.stderr.write(stoppingLine(terminal, `answers under way may end within ${GRACE_MS / 1000} s`));
    await server.drain(GRACE_MS);
  });
}

/** What is said at the first signal, on a line of its own: a terminal shows ^C where the cursor is. */
export function stoppingLine({ stderr }: Pick<Terminal, 'stderr'>, what: string): string {
  return `${stderr.isTTY ? '\n' : ''}stopping: ${what}; a second signal ends at once\n`;
}

/** Whose models are loaded where only signed ones are. */
function signersLine({ trustedKeys }: EngineOptions): string {
  const number = trustedKeys?.length ?? 0;
  return `only models signed by ${number === 1 ? 'the trusted key' : `one of ${number} trusted keys`} are loaded`;
}

/**
 * Where models are, in words. A directory that was asked for and is none can never have a model; one that is not there may
 * come. Errors: `invalid_option`.
 */
async function describeModels(asked: string | undefined): Promise<string> {
  const modelsDir = asked ?? defaultModelsDir();
  if (modelsDir === undefined) return 'demo; there is no home directory, so name a directory with --models-dir';
  const path = resolve(modelsDir);
  const why = await whyNotListed(path);
  if (why === undefined) return `demo, and those in ${path}`;
  const isThere = await lstat(path).then(Boolean, () => false);
  if (asked !== undefined && isThere) {
    throw new AppError('invalid_option', `--models-dir is ${path}, which cannot be listed: ${why}`, { path });
  }
  return `demo, and those in ${path} (${isThere ? why : 'none yet'})`;
}

/** Errors: those of the listener; `address_in_use` says who has the port, where the system tells. */
async function listenOrNameOwner(options: ServerOptions): Promise<Awaited<ReturnType<typeof createServer>>> {
  try {
    return await createServer(options);
  } catch (error) {
    const { code } = toErrorData(error);
    if (code !== 'address_in_use') throw error;
    const owner = await ownerOfPort(options.port);
    const by = owner === undefined ? 'another process' : `${owner.name} (process ${owner.pid})`;
    const message = `port ${options.port} of ${options.host} is in use by ${by}; stop it, or choose another with --port (0 takes a free one)`;
    throw new AppError('address_in_use', message, { port: options.port, ...owner }, { cause: error });
  }
}

/** Refuses values of `--allow-host` and `--allow-origin` that can never match, before a model is loaded. Errors: `invalid_value`. */
export function checkAllowed(hosts: readonly string[], origins: readonly string[]): void {
  for (const host of hosts) checkAllowedHost('--allow-host', host);
  for (const origin of origins) checkAllowedOrigin('--allow-origin', origin);
}

/** What to print where every name, or every web page, is allowed. */
export function openDoorsWarning(hosts: readonly string[], origins: readonly string[]): string {
  const lines = [
    ...(hosts.includes('*')
      ? ['WARNING: --allow-host * answers every name: pages of any web site can reach this engine by DNS rebinding.']
      : []),
    ...(allowsAnyPage(origins)
      ? [
          'WARNING: --allow-origin * lets the pages of every web site that is visited use this engine; null does so too.',
        ]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** What to print before others than this machine can reach the engine; nothing for a loopback host. */
export function exposureWarning(host: string): string {
  if (isLoopbackHost(host)) return '';
  return [
    '************************************************************************',
    `WARNING: ${host} is reached by other machines, and the HTTP API asks for`,
    'no key: every client that reaches it can use every model and read the metrics.',
    'Do this on a trusted network only, behind a firewall.',
    '************************************************************************',
    '',
  ].join('\n');
}
