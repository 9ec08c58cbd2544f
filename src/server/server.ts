import {
  createKindOf,
  createLogger,
  systemClock,
  type Clock,
  type CodeTable,
  type KindOf,
  type LogEntry,
} from '../base/index.js';
import { createTemplateProbe } from '../completion/index.js';
import {
  createBodyReader,
  createErrorFormat,
  createHandler,
  describeFailure,
  errorsByPath,
  openApiRoute,
  readPageFiles,
  type EndedRequest,
  type ErrorFormat,
  type StreamTimes,
} from '../endpoint/index.js';
import { listen, type HttpLimits, type Listener, type TransportChoice } from '../http/index.js';
import { toEngineLogLine, type EngineRecord } from './engine-record.js';
import type { EngineRoute, ServedEngine, ServerContext } from './engine-route.js';
import { createMetrics } from './metrics.js';
import { createModelLibrary, type LibraryHost, type ModelLibrary } from '../models/index.js';
import { pageRoutes } from './page/page-routes.js';
import { routes } from './routes/index.js';
import { OllamaError } from '../api/index.js';
import { dialects } from '../wire/index.js';
import { createMessagesErrors } from './messages-errors.js';

/** Default times. Comments are more frequent than the 30 s after which common proxies give up. */
const STREAM_TIMES: StreamTimes = { keepAliveMs: 15_000, commitAfterMs: 1_000 };

const TITLE = {
  title: 'Troupe engine',
  description:
    'The API of a Troupe engine, compatible with OpenAI and Anthropic. It has no authentication: it accepts any key.',
};

/** Options of a server. The caller owns the engine and closes it. */
export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly transport: TransportChoice;
  readonly engine: ServedEngine & LibraryHost;
  /** The version of the package. */
  readonly build: string;
  /** The error codes of all modules of the program, by module: an unlisted code is our own mistake. */
  readonly codes: Readonly<Record<string, CodeTable>>;
  /** Host headers and origins of web pages that are answered besides this machine's own, as `listen` reads them. */
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  /** Where the package uWebSockets.js is, when not where Node would find it. */
  readonly uwsDirectory?: string;
  /** Takes one line of JSON, without its end. */
  readonly log: (line: string) => void;
  readonly clock?: Clock;
  readonly limits?: Partial<HttpLimits>;
  readonly streams?: Partial<StreamTimes>;
  /** The models that requests may name, instead of those of the engine's places; the caller disposes of it. */
  readonly library?: ModelLibrary | undefined;
}

/** An engine on the network. Disposing of it ends all requests at once. */
export interface Server extends AsyncDisposable, Pick<Listener, 'host' | 'port' | 'transport' | 'stats' | 'drain'> {}

/** Starts listening. Errors: those of `listen` and of `readPageFiles`. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { host, port, transport, engine, build } = options;
  const { clock = systemClock } = options;
  const logger = createLogger({ sink: options.log, clock });
  const log = (entry: LogEntry): void => logger.log('info', entry);
  const own = options.library === undefined;
  const library =
    options.library ??
    createModelLibrary({ host: engine, howToList: 'GET /v1/models lists the existing ones', clock, log });
  const metrics = createMetrics();
  const kindOf = createKindOf(Object.values(options.codes));
  const listed = Object.values<EngineRoute>(routes);
  const errors = createErrorFormats(kindOf);
  const onEnd = ({ record, status, route, failure }: EndedRequest<EngineRoute, EngineRecord>): void => {
    const endMs = clock.nowMs();
    options.log(toEngineLogLine(record, status, endMs, timeOf(clock)));
    metrics.count(record, status, endMs, route?.operation);
    if (status === 500) log({ event: 'failure', id: record.id, ...describeFailure(failure) });
  };
  let listenerStats = (): ReturnType<Listener['stats']> => listener.stats();
  const bodies = createBodyReader();
  const templates = createTemplateProbe(clock);
  const context: ServerContext = {
    library,
    templates,
    engine,
    metrics,
    kindOf,
    clock,
    build,
    startedMs: clock.nowMs(),
    listenerStats: () => listenerStats(),
    streams: { ...STREAM_TIMES, ...options.streams },
    page: await readPageFiles('dist/pages/chat/'),
  };
  const listener = await listen({
    host,
    port,
    transport,
    handler: createHandler<ServerContext, EngineRecord, EngineRoute>({
      routes: [...listed, ...pageRoutes, openApiRoute(listed, { ...TITLE, version: build }, errors)],
      context,
      errors,
      bodies,
      toRecord: (record) => record,
      onEnd,
    }),
    toErrorResponse: errors.toErrorResponse,
    log,
    clock,
    ...(options.limits && { limits: options.limits }),
    ...(options.allowedHosts && { allowedHosts: options.allowedHosts }),
    ...(options.allowedOrigins && { allowedOrigins: options.allowedOrigins }),
    ...(options.uwsDirectory !== undefined && { uwsDirectory: options.uwsDirectory }),
  });
  listenerStats = listener.stats;

  const drain = async (graceMs: number): Promise<void> => {
    await listener.drain(graceMs);
    templates[Symbol.dispose]();
    await Promise.all([own && library[Symbol.asyncDispose](), bodies[Symbol.asyncDispose]()]);
  };
  return {
    host: listener.host,
    port: listener.port,
    transport: listener.transport,
    stats: listener.stats,
    drain,
    [Symbol.asyncDispose]: () => drain(0),
  };
}

function timeOf(clock: Clock): string {
  return new Date(clock.unixSeconds() * 1000).toISOString();
}

/** Errors in the words of the API that a path belongs to, whether there is a route for it or not: OpenAI's where no other is. */
function createErrorFormats(kindOf: KindOf): ErrorFormat {
  return errorsByPath(
    {
      '/api': createErrorFormat(kindOf, { schema: OllamaError, toBody: dialects.ollamaChat.toError }),
      '/v1/messages': createMessagesErrors(kindOf),
    },
    createErrorFormat(kindOf),
  );
}
