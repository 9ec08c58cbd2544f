import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createLogger, systemClock, VERSION, type LogEntry, type LogLevel } from '../../../base/index.js';
import type { Interrupts, Terminal } from '../../../cli/index.js';
import { bindError, checkListen } from '../../../http/index.js';
import {
  createOneModelLibrary,
  isBackendChoice,
  openModelHost,
  type BackendChoice,
  type EngineOptions,
  type ModelHost,
} from '../../../models/index.js';
import {
  checkStartRules,
  createProductionServer,
  createServer,
  inspectArtifact,
  prepareStart,
  readTrust,
  signatureRules,
  trustPaths,
  watchFiles,
  type Judges,
  type ProductionServer,
  type ServerOptions,
  type StartPlan,
} from '../../../server/index.js';
import { codeTables } from '../codes.js';
import { toUrlAuthority } from './authority.js';
import { createLogSink } from '../screen-log.js';
import { stoppingLine } from './serve-engine.js';
import { openArtifact } from '../../../artifact/index.js';
import { openTrusted, parseTrustedKeys } from '../../../signing/index.js';

/** How production judges artifacts and the keys that sign them. */
export const judges: Judges = {
  parseKeys: parseTrustedKeys,
  async inspect(directory, trustedKeys, isWhole) {
    // By no key: nothing is remembered of a revision before the model is loaded.
    const policy = { requireSigned: false, trustedKeys: [], allowRollback: true };
    const opened = await openTrusted(directory, openArtifact, policy);
    await using source = opened.source;
    if (isWhole) await source.fill(nowhere(), {});
    const { id } = source.manifest;
    const { mtimeMs: changedMs } = await stat(join(directory, 'manifest.json'));
    const { signature } = opened;
    if (signature.state === 'unsigned') return { id, state: 'unsigned', keys: [], changedMs };
    const trusted = signature.keys.filter((key) => trustedKeys.includes(key));
    if (trusted.length > 0) return { id, state: 'trusted', keys: trusted, changedMs };
    return { id, state: 'unknown', keys: signature.keys, changedMs };
  },
};

/** No tensor is kept: the weights are only hashed. */
function nowhere(): [] {
  return [];
}

/** How long calls under way may go on after the first signal. Kubernetes kills after as long. */
const GRACE_MS = 30_000;

/** What is served beside what the file says. */
export interface ConfigServing {
  /** engine.json. */
  readonly path: string;
  readonly engine: EngineOptions;
  /** HTTP beside gRPC. Undefined: none. */
  readonly http: Pick<ServerOptions, 'host' | 'port' | 'transport' | 'allowedHosts' | 'allowedOrigins'> | undefined;
}

/** Says what would be served. Errors: those of `prepareStart`, of a backend and of an address that this machine does not have. */
export async function checkConfig(path: string, { stdout, stderr }: Terminal): Promise<void> {
  const plan = await prepareStart(path, judges, systemClock, true);
  const { engine, hardware } = plan.config;
  const host = await openModelHost({ threads: 1, backend: toBackend(hardware) });
  await host[Symbol.asyncDispose]();
  const inUse = await checkListen(engine.listenAddress, engine.grpcPort);
  stderr.write(toBlock(plan.warnings));
  if (inUse !== undefined) stderr.write(`warning: ${inUse}\n`);
  stdout.write(`${describePlan(path, plan).join('\n')}\n`);
}

/** Serves until a signal asks for the end and all calls under way have ended. Errors: those of `prepareStart`, of the load and of the socket. */
export async function serveConfig(serving: ConfigServing, terminal: Terminal, interrupts: Interrupts): Promise<void> {
  const { path, http } = serving;
  const { stdout, stderr } = terminal;
  await interrupts.duringService(async (stop) => {
    const plan = await prepareStart(path, judges, systemClock);
    const { config, artifact } = plan;
    stderr.write(toBlock(plan.warnings));
    const sink = createLogSink(terminal);
    const logger = createLogger({ sink, clock: systemClock, least: config.engine.logLevel });
    const log = (level: LogLevel, entry: LogEntry): void =>
      logger.log(level, { ...entry, level, engine: config.engine.id });
    await using engine = await openModelHost({ ...serving.engine, backend: toBackend(config.hardware) });
    let server: ProductionServer | undefined;
    await using library = createOneModelLibrary({
      model: {
        name: artifact.id,
        path: await realDirectory(config.model.artifactPath),
        isFile: false,
        changedMs: artifact.changedMs,
      },
      host: engine,
      onState: () => server?.refresh(),
      log: (entry) => log('info', entry),
    });
    const { allowRollback = false, trustDir } = serving.engine;
    /** What is looked at here is judged once more by the load, over the bytes that it reads. */
    const verify = async (keys: readonly string[]): Promise<void> => {
      const { state } = await inspectArtifact(config, keys, judges);
      checkStartRules(signatureRules, { config, signature: state });
      engine.setTrust({
        requireSigned: !config.security.allowUnsignedDev,
        trustedKeys: keys,
        allowRollback: allowRollback ?? false,
        trustDir: trustDir ?? undefined,
      });
    };
    // Weights are verified while they are read: before the socket opens, as everything else.
    await library.load(() => verify(plan.trust.signingKeys), stop);
    const { listenAddress: host, grpcPort: port } = config.engine;
    await using production = await createProductionServer({
      engineId: config.engine.id,
      host,
      port,
      trust: plan.trust,
      readTrust: async () => (await readTrust(path, judges, systemClock)).trust,
      verify,
      library,
      engine,
      build: VERSION,
      codes: codeTables,
      log,
    }).catch((error: NodeJS.ErrnoException) => {
      throw bindError(error, host, port);
    });
    server = production;
    await using beside = http && (await serveHttp(http, engine, library, sink));
    if (beside !== undefined) stdout.write(`listening on http://${toUrlAuthority(beside.host)}:${beside.port}\n`);
    stdout.write(
      `listening on grpc${plan.trust.tls ? 's' : ''}://${toUrlAuthority(production.host)}:${production.port}\n`,
    );
    for (const text of engine.kernelNotes) stderr.write(`warning: ${text}\n`);
    const follow = (): void => void production.followTrust();
    process.on('SIGHUP', follow);
    const stopWatching = watchFiles(() => trustPaths(resolve(path), config), follow, systemClock);
    try {
      if (!stop.aborted) await new Promise((done) => stop.addEventListener('abort', done, { once: true }));
      stderr.write(stoppingLine(terminal, `calls under way may end within ${GRACE_MS / 1000} s`));
      await Promise.all([production.drain(GRACE_MS), beside?.drain(GRACE_MS)]);
    } finally {
      stopWatching();
      process.off('SIGHUP', follow);
    }
  });
}

async function serveHttp(
  http: NonNullable<ConfigServing['http']>,
  engine: ModelHost,
  library: NonNullable<ServerOptions['library']>,
  log: (line: string) => void,
): ReturnType<typeof createServer> {
  return createServer({
    ...http,
    engine,
    library,
    build: VERSION,
    codes: codeTables,
    log,
  });
}

/** Errors: those of reading directories; opening a vanished directory reports the error. */
async function realDirectory(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** The backend as the library takes it, which was checked with the file. */
function toBackend({ backend, deviceId }: StartPlan['config']['hardware']): BackendChoice {
  const numbered = `${backend}:${deviceId}`;
  if (isBackendChoice(numbered)) return numbered;
  return isBackendChoice(backend) ? backend : 'auto';
}

/** Lines as a block that stands out. */
function toBlock(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const rule = '*'.repeat(72);
  return `${[rule, 'WARNING: development settings. Do not serve others like this.', ...lines, rule].join('\n')}\n`;
}

function describePlan(path: string, { config, trust, artifact }: StartPlan): string[] {
  const { engine, security, model, hardware } = config;
  const { tls } = trust;
  const clients = security.mtlsRequired ? 'certificate required' : 'not asked who they are';
  const expiry = tls && new Date(tls.expiresMs).toISOString();
  return [
    `${path} can be served.`,
    `instance       ${engine.id}, log level ${engine.logLevel}`,
    `listen         ${tls ? 'grpcs' : 'grpc'}://${toUrlAuthority(engine.listenAddress)}:${engine.grpcPort}`,
    `certificate    ${tls ? `SHA-256 ${tls.sha256}, until ${expiry}` : 'none'}`,
    `clients        ${clients}`,
    ...describeIdentities('control', security.controlIdentities),
    ...describeIdentities('data', security.dataIdentities),
    `model          ${artifact.id} in ${model.artifactPath}`,
    `signature      ${describeSignature(artifact)}; ${trust.signingKeys.length} trusted keys`,
    `hardware       ${toBackend(hardware)}`,
  ];
}

/** Who may call a service, each on a line of its own. */
function describeIdentities(role: 'control' | 'data', identities: readonly string[]): string[] {
  const name = role.padEnd(15);
  if (identities.length === 0) return [`${name}no identity`];
  return identities.map((identity, i) => (i === 0 ? name : ' '.repeat(15)) + identity);
}

function describeSignature({ state, keys }: StartPlan['artifact']): string {
  if (state === 'unsigned') return 'none';
  return `by ${keys.join(', ')}${state === 'unknown' ? ', which is not trusted' : ''}`;
}
