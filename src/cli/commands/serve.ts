import { Command, Option } from 'clipanion';
import { AppError } from '../../base/index.js';
import type { CliContext } from '../context.js';
import { toDirectories } from '../directories.js';
import { toEngineOptions } from '../engine-options.js';
import { parseChoice, parseNumber, parseOptionalNumber, ranges } from '../option-values.js';

/** Where it listens when nobody says: where clients of local engines look. */
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 11_434;

/** `native-engine serve --http`: the engine for any client that speaks OpenAI's API. */
export class ServeCommand extends Command<CliContext> {
  static override paths = [['serve']];
  static override usage = Command.Usage({
    description: 'Serves the models over HTTP.',
    details:
      'Ends with SIGTERM or Ctrl-C when the answers under way have ended, at the latest after half a minute; a second one ends it at once.',
    examples: [
      ['On 127.0.0.1:11434', '$0 serve --http'],
      ['On a free port, with models of another directory', '$0 serve --http --port 0 --models-dir ./models'],
    ],
  });

  http = Option.Boolean('--http', false, { description: 'the OpenAI-compatible HTTP API' });
  host = Option.String('--host', DEFAULT_HOST, { description: `address to listen on; default ${DEFAULT_HOST}` });
  port = Option.String('--port', { description: `0 takes a free one; default ${DEFAULT_PORT}` });
  allowHost = Option.Array('--allow-host', [], {
    description: 'another name that requests may have in their Host header, or *; may be repeated',
  });
  allowOrigin = Option.Array('--allow-origin', [], {
    description: 'origin of web pages that may ask, such as https://chat.example, or *; may be repeated',
  });
  modelsDir = Option.String('--models-dir', { description: 'where models are; default ~/.troupe/models' });
  cacheDir = Option.String('--cache-dir', { description: 'where converted files are kept' });
  transport = Option.String('--transport', {
    description: 'auto, uws (uWebSockets.js) or node (node:http); default auto: uws where it is installed',
  });
  ctx = Option.String('--ctx', { description: "longest context in tokens; default: each model's own" });
  queue = Option.String('--queue', { description: 'sequences of a model that may wait; default 512' });
  stepTimeout = Option.String('--step-timeout', {
    description: 'seconds after which a step without progress counts as hung, and its engine starts again; default 60',
  });
  threads = Option.String('--threads', { description: 'compute threads; default: chosen from the cores' });
  kernel = Option.String('--kernel', { description: 'auto or portable (the same bits on every CPU)' });
  backend = Option.String('--backend', {
    description: 'auto, cpu (WASM), reference, cuda[:N], metal or metal-fp16',
  });
  kvCache = Option.String('--kv-cache', { description: 'f32 or q8; default: what fits the weights' });
  memoryBudget = Option.String('--memory-budget', {
    description: 'GiB for weights, KV cache and activations; default: three quarters of the memory',
  });
  debug = Option.Boolean('--debug', false, { description: 'stack traces of errors' });

  async execute(): Promise<number> {
    const { terminal, interrupts } = this.context;
    if (!this.http) throw new AppError('invalid_arguments', 'serve needs --http: it is the only way to serve so far.');
    const maxContext = parseOptionalNumber('--ctx', this.ctx, ranges.context);
    const maxWaiting = parseOptionalNumber('--queue', this.queue, ranges.queue);
    const stepTimeout = parseOptionalNumber('--step-timeout', this.stepTimeout, ranges.stepTimeout);
    const engineOptions = {
      ...toEngineOptions(this),
      ...(maxContext !== undefined && { maxContext }),
      ...(maxWaiting !== undefined && { maxWaiting }),
      ...(stepTimeout !== undefined && { stepTimeoutMs: stepTimeout * 1000 }),
      ...(await toDirectories(this, terminal.env)),
    };
    const listenOptions = {
      host: this.host,
      port: this.port === undefined ? DEFAULT_PORT : parseNumber('--port', this.port, ranges.port),
      allowedHosts: this.allowHost,
      allowedOrigins: this.allowOrigin,
      transport: parseChoice('--transport', this.transport ?? 'auto', ['auto', 'uws', 'node'] as const),
    };
    // Loaded here, so that help and refusals do not wait for it.
    const { checkAllowed, exposureWarning, openDoorsWarning, serveUntilStopped } = await import('../serve.js');
    checkAllowed(this.allowHost, this.allowOrigin);
    terminal.stderr.write(exposureWarning(this.host) + openDoorsWarning(this.allowHost, this.allowOrigin));
    await serveUntilStopped(engineOptions, listenOptions, terminal, interrupts);
    return 0;
  }
}
