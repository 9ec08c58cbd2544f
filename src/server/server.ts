import { createLogger, isError, systemClock, toErrorData, type Clock, type LogEntry } from '../base/index.js';
import { listen, type HttpLimits, type Listener, type TransportChoice } from '../http/index.js';
import { createBodyReader } from './body-reader.js';
import { createHandler, type OnEnd } from './handler.js';
import { createMetrics } from './metrics.js';
import { createModelLibrary, type ModelLibraryOptions } from '../library/index.js';
import { openApiRoute } from './openapi.js';
import { toLogLine } from './request-record.js';
import type { ApiRoute, ServedEngine, ServerContext, StreamTimes } from './route.js';
import { routes } from './routes/index.js';

/** Times when nobody says: comments more often than the 30 s after which common proxies give up. */
const STREAM_TIMES: StreamTimes = { keepAliveMs: 15_000, commitAfterMs: 1_000 };

/** What a server is made with. The engine is whoever's who opened it. */
export interface ServerOptions extends Pick<ModelLibraryOptions, 'modelsDir' | 'cacheDir'> {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly transport: TransportChoice;
  readonly engine: ServedEngine & Pick<ModelLibraryOptions, 'acquire'>;
  /** The version of the package. */
  readonly build: string;
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
}

/** An engine on the network. Disposing of it ends all requests at once. */
export interface Server extends AsyncDisposable, Pick<Listener, 'host' | 'port' | 'transport' | 'stats' | 'drain'> {}

/** Starts to listen. Errors: those of `listen`. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { host, port, transport, engine, build, modelsDir, cacheDir, clock = systemClock } = options;
  const logger = createLogger({ sink: options.log, clock });
  const log = (entry: LogEntry): void => logger.log('info', entry);
  const library = createModelLibrary({
    modelsDir,
    cacheDir,
    howToList: 'GET /v1/models lists those that there are',
    clock,
    log,
    acquire: (directory, signal) => engine.acquire(directory, signal),
  });
  const metrics = createMetrics();
  const shelf: readonly ApiRoute[] = Object.values(routes);
  const onEnd: OnEnd = (record, status, route, failure) => {
    const endMs = clock.nowMs();
    options.log(toLogLine(record, status, endMs, timeOf(clock)));
    metrics.count(record, status, endMs, route?.operation);
    if (status === 500) log({ event: 'failure', id: record.id, ...describeFailure(failure) });
  };
  let listenerStats = (): ReturnType<Listener['stats']> => listener.stats();
  const bodies = createBodyReader();
  const context: ServerContext = {
    library,
    bodies,
    engine,
    metrics,
    clock,
    build,
    startedMs: clock.nowMs(),
    listenerStats: () => listenerStats(),
    streams: { ...STREAM_TIMES, ...options.streams },
  };
  const listener = await listen({
    host,
    port,
    transport,
    handler: createHandler([...shelf, openApiRoute(shelf, build)], context, onEnd),
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
    await Promise.all([library[Symbol.asyncDispose](), bodies[Symbol.asyncDispose]()]);
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

/**
 * What was thrown, for whoever looks for the mistake: our own errors with their message, which has nothing of a prompt; of
 * others only the kind and the place, since what V8 says may quote what it was given.
 */
function describeFailure(thrown: unknown): Omit<LogEntry, 'event'> {
  const { code, message } = toErrorData(thrown);
  if (!isError(thrown) || thrown.name === 'AppError') return { code, message };
  const frames = thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { code, kind: thrown.name, frames: frames.slice(0, 10).map((frame) => frame.trim()) };
}
