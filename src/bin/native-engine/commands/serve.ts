import { Command } from 'clipanion';
import {
  AppError,
  keepYoungHeapSmall,
  letActorsGiveWay,
  releaseHeapWhenIdle,
  systemClock,
} from '../../../base/index.js';
import {
  type CliContext,
  listOption,
  switchOption,
  textOption,
  parseChoice,
  parseNumber,
  parseOptionalNumber,
  ranges,
} from '../../../cli/index.js';
import { toDirectories } from '../options/directories.js';
import {
  cacheDirFlag,
  ctxFlag,
  debugFlag,
  kernelFlag,
  kvCacheFlag,
  memoryBudgetFlag,
  modelsDirFlag,
  noCacheFlag,
  threadsFlag,
} from '../options/engine-flags.js';
import { backendFlag, templateFlag } from '../options/loading-flags.js';
import { checkTemplateOption, toEngineOptions } from '../options/engine-options.js';
import {
  allowRollbackFlag,
  requireSignedFlag,
  toTrustOptions,
  trustDirFlag,
  trustedKeyFlag,
} from '../../signatures/trust-options.js';

/** The default address: clients of local engines look there. */
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 11_434;

/** `native-engine serve`: over HTTP for any client that speaks OpenAI's API, or as engine.json says, over gRPC. */
export class ServeCommand extends Command<CliContext> {
  static override paths = [['serve']];
  static override usage = Command.Usage({
    description: 'Serves the models over HTTP, or one over gRPC with mutual TLS.',
    details:
      'Without --config it serves HTTP, with --http or without. With --config the file says what is served and to whom; the HTTP API is served beside it only with --http. Ends with SIGTERM or Ctrl-C when the answers under way have ended, at the latest after half a minute; a second one ends it at once.',
    examples: [
      ['On 127.0.0.1:11434', '$0 serve'],
      ['In production, over gRPC', '$0 serve --config engine.json'],
      ['On a free port, with models of another directory', '$0 serve --port 0 --models-dir ./models'],
    ],
  });

  http = switchOption('--http', {
    description: 'the OpenAI-compatible HTTP API, which is served also without --config',
    group: 'Network',
  });
  config = textOption('--config', {
    value: 'FILE',
    description: 'engine.json: one model over gRPC, to clients with certificates',
    default: 'none: HTTP is served',
    group: 'Network',
  });
  check = switchOption('--check', {
    description: 'say what --config would serve, and whether it may; nothing listens',
    group: 'Network',
  });
  host = textOption(
    '--host',
    { value: 'ADDRESS', description: 'address to listen on', group: 'Network' },
    DEFAULT_HOST,
  );
  port = textOption('--port', {
    value: 'N',
    description: '0 takes a free one',
    default: String(DEFAULT_PORT),
    group: 'Network',
  });
  allowHost = listOption('--allow-host', {
    value: 'NAME',
    description: 'another name that requests may have in their Host header, or *',
    group: 'Network',
  });
  allowOrigin = listOption('--allow-origin', {
    value: 'ORIGIN',
    description: 'origin of web pages that may ask, such as https://chat.example, or *',
    group: 'Network',
  });
  noPull = switchOption('--no-pull', {
    description: 'pull no model that a request names and that is not here',
    group: 'Files',
  });
  modelsDir = modelsDirFlag();
  cacheDir = cacheDirFlag();
  noCache = noCacheFlag();
  transport = textOption('--transport', {
    value: 'auto|uws|node',
    description: 'uws (uWebSockets.js) or node (node:http)',
    default: 'auto: uws where it is installed',
    group: 'Network',
  });
  ctx = ctxFlag();
  queue = textOption('--queue', {
    value: 'N',
    description: 'sequences of a model that may wait',
    default: '512',
    group: 'Engine',
  });
  stepTimeout = textOption('--step-timeout', {
    value: 'SECONDS',
    description: 'a step without progress for so long counts as hung, and its engine starts again',
    default: '60',
    group: 'Engine',
  });
  threads = threadsFlag();
  kernel = kernelFlag();
  backend = backendFlag();
  kvCache = kvCacheFlag();
  memoryBudget = memoryBudgetFlag();
  template = templateFlag();
  requireSigned = requireSignedFlag();
  trustedKey = trustedKeyFlag();
  allowRollback = allowRollbackFlag();
  trustDir = trustDirFlag();
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    this.#checkModes();
    keepYoungHeapSmall();
    letActorsGiveWay();
    if (this.config !== undefined && this.check) {
      const { checkConfig } = await import('../serving/serve-config.js');
      await checkConfig(this.config, terminal);
      return 0;
    }
    const maxWaiting = parseOptionalNumber('--queue', this.queue, ranges.queue);
    const stepTimeout = parseOptionalNumber('--step-timeout', this.stepTimeout, ranges.stepTimeout);
    await checkTemplateOption(this.template);
    const engineOptions = {
      ...toEngineOptions(this),
      ...(maxWaiting !== undefined && { maxWaiting }),
      ...(stepTimeout !== undefined && { stepTimeoutMs: stepTimeout * 1000 }),
      ...(this.noPull && { pull: false }),
      ...(await toDirectories(this, terminal.env)),
      ...(await toTrustOptions(this, terminal.env)),
    };
    const listenOptions = {
      host: this.host,
      port: this.port === undefined ? DEFAULT_PORT : parseNumber('--port', this.port, ranges.port),
      allowedHosts: this.allowHost,
      allowedOrigins: this.allowOrigin,
      transport: parseChoice('--transport', this.transport ?? 'auto', ['auto', 'uws', 'node'] as const),
    };
    // Loaded here, so that help and refusals do not wait for it.
    const { checkAllowed, exposureWarning, openDoorsWarning, serveUntilStopped } =
      await import('../serving/serve-engine.js');
    checkAllowed(this.allowHost, this.allowOrigin);
    if (this.http || this.config === undefined) {
      terminal.stderr.write(exposureWarning(this.host) + openDoorsWarning(this.allowHost, this.allowOrigin));
    }
    const stopReleasing = releaseHeapWhenIdle(systemClock);
    try {
      if (this.config === undefined) await serveUntilStopped(engineOptions, listenOptions, terminal, interrupts);
      else {
        const { serveConfig } = await import('../serving/serve-config.js');
        const http = this.http ? listenOptions : undefined;
        await serveConfig({ path: this.config, engine: engineOptions, http }, terminal, interrupts);
      }
    } finally {
      stopReleasing();
    }
    return 0;
  }

  /** Errors: `invalid_arguments`. */
  #checkModes(): void {
    if (this.config === undefined) {
      if (this.check) throw new AppError('invalid_arguments', 'serve --check needs --config FILE.');
      return;
    }
    const inFile = [
      ['--backend', this.backend, 'hardware.backend'],
      ['--models-dir', this.modelsDir, 'model.artifact_path'],
      ['--trusted-key', this.trustedKey[0], 'security.trusted_signing_keys'],
    ] as const;
    for (const [option, value, field] of inFile) {
      if (value === undefined) continue;
      throw new AppError('invalid_arguments', `${option} has no effect with --config: write ${field} in the file.`);
    }
  }
}
