import { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { AppError, systemClock, type Clock } from '../../base/index.js';
import type { HeaderFields } from '../../http/index.js';
import { checkedConnector, createCheckedLookup, type LookUpAll, type MayConnect } from '../../address/index.js';
import { UpstreamCall, type UpstreamAnswer } from './call.js';
import { toUpstreamError, upstreamError } from './failure.js';
import { createGates, type Gates } from './gates.js';
import { provenConnector, type ProveServer } from './proven-connector.js';
import { toUpstreamLimits, type UpstreamLimits } from './limits.js';
import { throughProxy } from './proxy-connect.js';

/** A server that requests are relayed to. */
export interface UpstreamOptions {
  /** The operator's name for it, also in errors. */
  readonly id: string;
  /** `http://127.0.0.1:11434`, with a path where the server has its API below one. */
  readonly baseUrl: string;
  readonly limits?: Partial<UpstreamLimits> | undefined;
  /** Certificate authorities in PEM that are trusted instead of the system's. */
  readonly ca?: string | undefined;
  /** Which addresses may be connected to; absent: all. Asked for each connection, after its name was resolved. */
  readonly mayConnect?: MayConnect | undefined;
  /** How names are resolved; absent: as the system does. */
  readonly lookUpAll?: LookUpAll | undefined;
  /** The http or https URL of a proxy to go through; `mayConnect` is then asked for addresses in the URL alone. */
  readonly proxy?: string | undefined;
  /** Asked for new connections unless an older one proves the server; absent: any listening server gets requests. */
  readonly prove?: ProveServer | undefined;
  readonly clock?: Clock | undefined;
}

/** One request to an upstream. */
export interface UpstreamRequest {
  readonly method: string;
  /** Below the base URL, with the original query. */
  readonly target: string;
  /** Fields in order, without those that frame the message or name the host. */
  readonly fields: HeaderFields;
  /** Bytes in pieces, or a stream of them that is read as the upstream takes it. Absent: none. */
  readonly body?: readonly Uint8Array[] | AsyncIterable<Uint8Array> | undefined;
  /** Bytes of a streamed body; undefined: it is sent in chunks. */
  readonly contentLength?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A pool of connections to one upstream. */
export interface Upstream extends AsyncDisposable {
  readonly id: string;
  /** Requests under way. */
  readonly running: number;
  /**
   * Sends a request and resolves with the head of the answer. No redirect is followed, nothing is decompressed, nothing is
   * tried again. Errors: `upstream_error`, `upstream_timeout`, `upstream_busy`, the reason of the signal.
   */
  request(request: UpstreamRequest): Promise<UpstreamAnswer>;
}

/** Opens a pool for an upstream; it connects at the first request. Errors: `invalid_value` on its address or limits. */
export async function createUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { id, clock = systemClock } = options;
  const limits = toUpstreamLimits(options.limits);
  const { origin, base } = readBase(options.baseUrl);
  const { pool, gates } = await openPool(origin, limits, options);
  let running = 0;
  const onEnd = (): void => void running--;
  return {
    id,
    get running() {
      return running;
    },
    request: (request) => {
      if (running >= limits.requests) return Promise.reject(upstreamError(id, 'busy'));
      running++;
      const call = new UpstreamCall({ id, limits, clock, signal: request.signal, gates, onEnd });
      if (request.signal?.aborted !== true) dispatch(pool, id, base, request, call);
      return call.answer;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

function dispatch(pool: Pool, id: string, base: string, request: UpstreamRequest, call: UpstreamCall): void {
  const { method, target, body, contentLength } = request;
  const headers = request.fields.flat();
  if (contentLength !== undefined) headers.push('content-length', `${contentLength}`);
  const path = base + target;
  try {
    const options = { method, path, headers, body: toBody(body), ...NO_TIMERS };
    pool.dispatch(options, call);
  } catch (error) {
    call.onResponseError(NO_CONTROLLER, toUpstreamError(id, error, true) as Error);
  }
}

/** Our own time limits use an injected clock, and pause while a reader is slow. */
const NO_TIMERS = { headersTimeout: 0, bodyTimeout: 0 } as const;

/** Without a request that began, there is nothing to control. */
const NO_CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort: () => {},
  pause: () => {},
  resume: () => {},
};

/** The body in a form that undici accepts. */
type UndiciBody = Exclude<Dispatcher.DispatchOptions['body'], undefined>;

/** Bodies up to this size are sent in one write. */
const JOINED_BYTES = 256 * 1024;

function toBody(body: UpstreamRequest['body']): UndiciBody {
  if (body === undefined) return null;
  if (!Array.isArray(body)) return asReadable(body as AsyncIterable<Uint8Array>);
  const pieces = body as readonly Uint8Array[];
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return Buffer.from(first.buffer, first.byteOffset, first.length);
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  return size <= JOINED_BYTES ? Buffer.concat(pieces) : asReadable(pieces);
}

/** A stream that undici destroys when the request is over, which ends the source of the body. */
function asReadable(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Readable {
  return Readable.from(body, { objectMode: false, highWaterMark: 1 });
}

async function openPool(
  origin: string,
  limits: UpstreamLimits,
  { id, ca, mayConnect = () => true, lookUpAll, proxy, prove }: UpstreamOptions,
): Promise<{ readonly pool: Pool; readonly gates: Gates }> {
  // Loaded at first use: a command line that only needs this module's errors must start at once.
  const undici = await import(/* webpackMode: "eager" */ 'undici');
  const connect = undici.buildConnector({
    timeout: limits.connectMs,
    allowH2: false,
    lookup: createCheckedLookup(mayConnect, lookUpAll),
    noDelay: true,
    ...(ca !== undefined && { ca }),
  });
  const direct = proxy === undefined ? connect : throughProxy(new URL(proxy), connect, limits.connectMs);
  const gates = createGates(checkedConnector(direct, mayConnect));
  const pool = new undici.Pool(origin, {
    connections: limits.requests,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: limits.headerBytes,
    keepAliveTimeout: limits.keepAliveMs,
    keepAliveMaxTimeout: limits.keepAliveMs,
    ...NO_TIMERS,
    connect: prove === undefined ? gates.connector : provenConnector(id, gates, prove),
  });
  return { pool, gates };
}

/** The origin of a base URL, and its path without a slash at the end. */
function readBase(baseUrl: string): { readonly origin: string; readonly base: string } {
  const expected = 'an http or https URL with nothing but a host, a port and a path';
  const url = new URL(URL.canParse(baseUrl) ? baseUrl : 'none:');
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) throw badBase(expected);
  return { origin: url.origin, base: url.pathname.replace(/\/+$/, '') };
}

/** Without the URL: an operator may have written a password into it. */
function badBase(expected: string): AppError {
  return new AppError('invalid_value', `the base URL of an upstream must be ${expected}`, { field: 'base_url' });
}
