import { randomUUID } from 'node:crypto';
import { toErrorData, type Clock } from '../base/index.js';
import { checkHead, type CheckedHead } from './check-head.js';
import { corsHeaders } from './cors.js';
import { decodeBody } from './decode-body.js';
import type { HttpCode } from './errors.js';
import type { Exchange, ResponseHead } from './exchange.js';
import type { HttpLimits } from './limits.js';
import type { Handler, HttpRequest, HttpResponse } from './message.js';
import type { AllowedNames } from './names.js';
import { BodyBudget, receiveBody } from './receive-body.js';
import { errorResponse, refuse, toRefusalResponse, type Refusal } from './refusal.js';
import { toBytes, watchEnd, writeBody, type Outlet } from './write-body.js';

/** What a listener tells its log. Never a body, a query or a key. */
export type HttpEvent =
  | { readonly event: 'request refused'; readonly id?: string; readonly code: HttpCode; readonly message: string }
  | { readonly event: 'reader cut'; readonly id: string; readonly stallMs: number }
  | { readonly event: 'handler failed'; readonly id: string; readonly code: string; readonly message: string };

/** Counts of a listener since it started, and what is open now. */
export interface ServingStats {
  running: number;
  requests: number;
  bytesIn: number;
  bytesOut: number;
  stalledReaders: number;
  readonly refused: Map<HttpCode, number>;
}

/** What serving needs. `names` is asked late, since the port is known only once the listener listens. */
export interface ServingOptions {
  readonly handler: Handler;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly names: () => AllowedNames;
  readonly log: (event: HttpEvent) => void;
}

/** Requests under way and what they share. */
export interface Serving {
  readonly stats: ServingStats;
  readonly accept: (exchange: Exchange) => void;
  readonly countRefusal: (refusal: Refusal, id?: string) => void;
  /** From now on every request is refused with `shutting_down`, and every answer ends its connection. */
  stopAccepting(): void;
  /** Resolves when no request is under way. */
  whenIdle(): Promise<void>;
  /** Aborts the signals of all requests under way. */
  abortAll(): void;
}

/** Serves exchanges: checks, receives, calls the handler, writes what it answers. */
export function createServing(options: ServingOptions): Serving {
  const { limits, clock, log } = options;
  const stats: ServingStats = {
    running: 0,
    requests: 0,
    bytesIn: 0,
    bytesOut: 0,
    stalledReaders: 0,
    refused: new Map(),
  };
  const budget = new BodyBudget(limits.bodiesBytes);
  const live = new Set<AbortController>();
  let idleWaiters: (() => void)[] = [];
  let draining = false;

  const countRefusal = (refusal: Refusal, id?: string): void => {
    stats.refused.set(refusal.code, (stats.refused.get(refusal.code) ?? 0) + 1);
    log({
      event: 'request refused',
      ...(id === undefined ? {} : { id }),
      code: refusal.code,
      message: refusal.message,
    });
  };

  const accept = (exchange: Exchange): void => {
    const life = new AbortController();
    let isClosed = false;
    const closed = new Promise<boolean>((resolve) => {
      exchange.onClosed((complete) => {
        isClosed = true;
        if (!complete) life.abort(new DOMException('the client is gone', 'AbortError'));
        resolve(complete);
      });
    });
    live.add(life);
    stats.running++;
    stats.requests++;
    void closed.then(() => {
      live.delete(life);
      stats.running--;
      if (live.size === 0) {
        for (const tell of idleWaiters) tell();
        idleWaiters = [];
      }
    });
    const id = idOf(exchange);
    const outlet: Outlet = {
      closed,
      isClosed: () => isClosed,
      onBytes: (bytes) => (stats.bytesOut += bytes),
      onStall: () => {
        stats.stalledReaders++;
        log({ event: 'reader cut', id, stallMs: limits.writeStallMs });
      },
    };
    void serve(exchange, id, outlet, life.signal);
  };

  /** The whole life of one request; never rejects. */
  const serve = async (exchange: Exchange, id: string, outlet: Outlet, signal: AbortSignal): Promise<void> => {
    const receivedMs = clock.nowMs();
    const head = checkHead(exchange.head, options.names(), limits);
    if ('code' in head) return answerRefusal(exchange, id, outlet, head, undefined);
    if (draining) {
      return answerRefusal(exchange, id, outlet, refuse('shutting_down', 'the server is shutting down'), head);
    }
    if (head.wantsContinue) exchange.sendContinue();
    const received = await receiveBody(exchange, limits, budget, clock, outlet.closed);
    if ('code' in received) return answerRefusal(exchange, id, outlet, received, head);
    if (outlet.isClosed()) return;
    stats.bytesIn += received.length;
    const body = await decodeBody(received, head.headers.get('content-encoding'), limits);
    if ('code' in body) return answerRefusal(exchange, id, outlet, body, head, false);
    const { method, path, query, headers } = head;
    const request: HttpRequest = { id, method, path, params: {}, query, headers, body, signal, receivedMs };
    try {
      const response = await options.handler(request);
      await answer(exchange, id, outlet, response, head, draining);
    } catch (error) {
      const { code, message } = toErrorData(error);
      // A handler that was told that its client is gone may well reject.
      if (outlet.isClosed()) return;
      log({ event: 'handler failed', id, code, message });
      if (begun.has(exchange)) return exchange.close();
      const failed = errorResponse(500, 'server_error', 'internal_error', 'the server failed to answer this request');
      await answer(exchange, id, outlet, failed, head, false);
    }
  };

  /** Exchanges whose answer has begun, so that a failure can only cut it. */
  const begun = new WeakSet<Exchange>();

  /** Refuses a request. Bytes of it that were not read make the connection useless: it ends with the answer. */
  const answerRefusal = async (
    exchange: Exchange,
    id: string,
    outlet: Outlet,
    refusal: Refusal,
    head: CheckedHead | undefined,
    close = true,
  ): Promise<void> => {
    countRefusal(refusal, id);
    if (refusal.unframed) return exchange.close();
    await answer(exchange, id, outlet, toRefusalResponse(refusal), head, close);
  };

  const answer = async (
    exchange: Exchange,
    id: string,
    outlet: Outlet,
    response: HttpResponse,
    head: CheckedHead | undefined,
    close: boolean,
  ): Promise<void> => {
    if (outlet.isClosed()) return;
    begun.add(exchange);
    const body = response.body ?? '';
    const whole = typeof body === 'string' || body instanceof Uint8Array ? toBytes(body) : undefined;
    const bodiless = exchange.head.method === 'HEAD' || response.status === 204 || response.status === 304;
    const responseHead: ResponseHead = {
      status: response.status,
      headers: { ...response.headers, ...(head === undefined ? {} : corsHeaders(head)), 'x-request-id': id },
      contentLength: whole?.length,
      bodiless,
      close,
    };
    if (bodiless || (whole !== undefined && whole.length <= limits.pieceBytes)) {
      if (!bodiless) outlet.onBytes(whole?.length ?? 0);
      exchange.send(responseHead, bodiless ? new Uint8Array(0) : (whole ?? new Uint8Array(0)));
      if (whole === undefined)
        await Promise.resolve((body as AsyncIterable<string>)[Symbol.asyncIterator]().return?.());
    } else {
      exchange.begin(responseHead);
      await writeBody(
        exchange,
        whole === undefined ? (body as AsyncIterable<string>) : once(whole),
        outlet,
        limits,
        clock,
      );
      if (!outlet.isClosed()) exchange.end();
    }
    watchEnd(exchange, outlet, limits, clock);
  };

  return {
    stats,
    accept,
    countRefusal,
    stopAccepting: () => (draining = true),
    whenIdle: () => (live.size === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
    abortAll: () => {
      for (const life of live) life.abort(new DOMException('the server is shutting down', 'AbortError'));
    },
  };
}

async function* once(piece: Uint8Array): AsyncIterable<Uint8Array> {
  yield piece;
}

/** The id that the client gave its request, where it is a plain one, or a new one. */
function idOf({ head }: Exchange): string {
  const given = head.fields.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1] ?? '';
  return /^[A-Za-z0-9_-]{1,128}$/.test(given) ? given : randomUUID();
}
