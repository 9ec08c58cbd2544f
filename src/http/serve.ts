import { randomUUID } from 'node:crypto';
import { toErrorData, type Clock } from '../base/index.js';
import { sendAnswer } from './answer.js';
import { checkHead, type CheckedHead } from './check-head.js';
import { corsHeaders } from './cors.js';
import { decodeBody } from './decode-body.js';
import type { HttpCode } from './errors.js';
import type { Exchange } from './exchange.js';
import type { HttpLimits } from './limits.js';
import type { Handler, HttpRequest, HttpResponse } from './message.js';
import type { AllowedNames } from './names.js';
import { errorResponse } from './error-response.js';
import { BodyBudget, dropBody, receiveBody, refuseForBudget } from './receive-body.js';
import { refuse, toRefusalResponse, type Refusal } from './refusal.js';
import { within } from './within.js';
import { dismissBody, type Outlet } from './write-body.js';

/** How long the rest of a refused body is read, and dropped, so that its sender reads the answer and not a reset. */
const LINGER_MS = 1_000;

/** What a listener tells its log. Never a body, a query or a key. */
export type HttpEvent =
  | { readonly event: 'request refused'; readonly id?: string; readonly code: HttpCode; readonly message: string }
  | { readonly event: 'reader cut'; readonly id: string; readonly stallMs: number }
  | { readonly event: 'handler failed'; readonly id: string; readonly code: string; readonly message: string };

/** Counts of a listener since it started, and the requests under way. */
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

/** One request under way. */
interface Life {
  readonly id: string;
  readonly exchange: Exchange;
  readonly outlet: Outlet;
  readonly abort: AbortController;
  hasBegun: boolean;
}

/** Serves exchanges: checks, receives, calls the handler, writes what it answers. */
export function createServing(options: ServingOptions): Serving {
  const { limits, clock, log } = options;
  const none = { running: 0, requests: 0, bytesIn: 0, bytesOut: 0, stalledReaders: 0 };
  const stats: ServingStats = { ...none, refused: new Map() };
  const budget = new BodyBudget(limits.bodiesBytes);
  const lives = new Set<Life>();
  let tellIdle: (() => void)[] = [];
  let isDraining = false;

  const countRefusal = ({ code, message }: Refusal, id?: string): void => {
    stats.refused.set(code, (stats.refused.get(code) ?? 0) + 1);
    log({ event: 'request refused', ...(id === undefined ? {} : { id }), code, message });
  };

  const accept = (exchange: Exchange): void => {
    const life = begin(exchange);
    lives.add(life);
    stats.running++;
    stats.requests++;
    void life.outlet.closed.then((complete) => {
      lives.delete(life);
      stats.running--;
      if (!complete) life.abort.abort(new DOMException('the client is gone', 'AbortError'));
      if (lives.size > 0) return;
      for (const tell of tellIdle) tell();
      tellIdle = [];
    });
    void serve(life);
  };

  const begin = (exchange: Exchange): Life => {
    const id = idOf(exchange);
    let isClosed = false;
    const closed = new Promise<boolean>((resolve) => {
      exchange.onClosed((complete) => {
        isClosed = true;
        resolve(complete);
      });
    });
    const outlet: Outlet = {
      closed,
      isClosed: () => isClosed,
      begin: (bytes) => {
        life.hasBegun = true;
        stats.bytesOut += bytes;
      },
      onBytes: (bytes) => (stats.bytesOut += bytes),
      onStall: () => {
        stats.stalledReaders++;
        log({ event: 'reader cut', id, stallMs: limits.writeStallMs });
      },
    };
    const life: Life = { id, exchange, outlet, abort: new AbortController(), hasBegun: false };
    return life;
  };

  /** The whole of one request; never rejects. */
  const serve = async (life: Life): Promise<void> => {
    const { id, exchange, outlet } = life;
    const receivedMs = clock.nowMs();
    const head = checkHead(exchange.head, options.names(), limits);
    if ('code' in head) return refuseLife(life, head, undefined);
    if (isDraining) return refuseLife(life, refuse('shutting_down', 'the server is shutting down'), head);
    if (head.wantsContinue) exchange.sendContinue();
    const receiving = receiveBody(exchange, limits, budget, clock, outlet.closed);
    const received = await receiving.body;
    if ('code' in received) return refuseLife(life, received, head, receiving.ended);
    if (outlet.isClosed()) return;
    stats.bytesIn += received.length;
    const body = await decodeBody(received, head.headers.get('content-encoding'), limits);
    if ('code' in body) return refuseLife(life, body, head, receiving.ended);
    if (body !== received) {
      if (!budget.take(body.length)) return refuseLife(life, refuseForBudget(), head, receiving.ended);
      void outlet.closed.then(() => budget.give(body.length));
    }
    const { method, path, query, headers } = head;
    await handle(life, head, {
      id,
      method,
      path,
      params: {},
      query,
      headers,
      body,
      signal: life.abort.signal,
      receivedMs,
    });
  };

  const handle = async (life: Life, head: CheckedHead, request: HttpRequest): Promise<void> => {
    try {
      await answer(life, await options.handler(request), head, false);
    } catch (error) {
      // A handler that was told that its client is gone may well reject.
      if (life.outlet.isClosed()) return;
      const { code, message } = toErrorData(error);
      log({ event: 'handler failed', id: life.id, code, message });
      if (life.hasBegun) return life.exchange.close();
      const failed = errorResponse({ code: 'internal_error', message, details: {} });
      await answer(life, failed, head, false);
    }
  };

  /** Answers a refusal once the request was read to its end; where that does not come soon, its connection ends. */
  const refuseLife = async (
    life: Life,
    refusal: Refusal,
    head: CheckedHead | undefined,
    ended?: Promise<void>,
  ): Promise<void> => {
    const { exchange, outlet } = life;
    countRefusal(refusal, life.id);
    if (refusal.framing === 'malformed') return exchange.close();
    // A client that waits to be asked for its body will not send it.
    const waits = ended === undefined && exchange.head.fields.some(([name]) => name.toLowerCase() === 'expect');
    const isRead =
      refusal.framing === 'sound' &&
      !waits &&
      (await within(LINGER_MS, ended ?? dropBody(exchange, outlet.closed), clock));
    await answer(life, toRefusalResponse(refusal), head, !isRead);
  };

  const answer = async (
    { id, exchange, outlet }: Life,
    response: HttpResponse,
    head: CheckedHead | undefined,
    close: boolean,
  ): Promise<void> => {
    if (outlet.isClosed()) return dismissBody(response.body);
    const headers = { ...response.headers, ...(head === undefined ? {} : corsHeaders(head)), 'x-request-id': id };
    await sendAnswer(exchange, { ...response, headers }, close || isDraining, outlet, limits, clock);
  };

  return {
    stats,
    accept,
    countRefusal,
    stopAccepting: () => (isDraining = true),
    whenIdle: () => (lives.size === 0 ? Promise.resolve() : new Promise((resolve) => tellIdle.push(resolve))),
    abortAll: () => {
      for (const { abort } of lives) abort.abort(new DOMException('the server is shutting down', 'AbortError'));
    },
  };
}

/** The id that the client gave its request, where it is a plain one, or a new one. */
function idOf({ head }: Exchange): string {
  const given = head.fields.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1] ?? '';
  return /^[A-Za-z0-9_-]{1,128}$/.test(given) ? given : randomUUID();
}
