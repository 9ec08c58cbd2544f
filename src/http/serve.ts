import { toErrorData, type Clock } from '../base/index.js';
import { sendAnswer } from './answer.js';
import { checkHead } from './check-head.js';
import { corsHeaders } from './cors.js';
import { decodeBody } from './decode-body.js';
import type { Exchange } from './exchange.js';
import { Life, type LifeEvents } from './life.js';
import type { HttpLimits } from './limits.js';
import type { Handler, HttpRequest, HttpResponse } from './message.js';
import type { AllowedNames } from './names.js';
import { errorResponse } from './error-response.js';
import { BodyBudget, dropBody, receiveBody, refuseForBudget } from './receive-body.js';
import { refuse, toRefusalResponse, type Refusal, type RefusalCode } from './refusal.js';
import { within } from './within.js';
import { dismissBody, type Sink } from './write-body.js';

/** How long the rest of a refused body is read, and dropped, so that its sender reads the answer and not a reset. */
const LINGER_MS = 1_000;

/** What a listener tells its log. Never a body, a query or a key. */
export type HttpEvent =
  | { readonly event: 'request refused'; readonly id?: string; readonly code: RefusalCode; readonly message: string }
  | { readonly event: 'reader cut'; readonly id: string; readonly stallMs: number }
  | { readonly event: 'handler failed'; readonly id: string; readonly code: string; readonly message: string };

/** Counts of a listener since it started, and the requests under way. */
export interface ServingStats {
  running: number;
  requests: number;
  bytesIn: number;
  bytesOut: number;
  stalledReaders: number;
  readonly refused: Map<RefusalCode, number>;
}

/** What serving needs. */
export interface ServingOptions {
  readonly handler: Handler;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly names: AllowedNames;
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

  const events: LifeEvents = {
    onBytes: (bytes) => (stats.bytesOut += bytes),
    onStall: ({ id }) => {
      stats.stalledReaders++;
      log({ event: 'reader cut', id, stallMs: limits.writeStallMs });
    },
    onClosed: (life) => {
      lives.delete(life);
      stats.running--;
      if (lives.size > 0) return;
      for (const tell of tellIdle) tell();
      tellIdle = [];
    },
  };

  const accept = (exchange: Exchange): void => {
    const life = new Life(exchange, events);
    lives.add(life);
    stats.running++;
    stats.requests++;
    void serve(life);
  };

  const sinkOf = (life: Life): Sink => ({ exchange: life.exchange, outlet: life, limits, clock });

  /** Checks and receives a request, and has it handled; never rejects. */
  const serve = async (life: Life): Promise<void> => {
    const { id, exchange } = life;
    const receivedMs = clock.nowMs();
    const head = checkHead(exchange.head, options.names, limits);
    if ('code' in head) return refuseLife(life, head);
    life.headers = { ...corsHeaders(head), ...life.headers };
    if (isDraining) return refuseLife(life, refuse('shutting_down', 'the server is shutting down'));
    if (head.wantsContinue) exchange.sendContinue();
    const receiving = receiveBody(sinkOf(life), budget);
    const received = await receiving.body;
    if ('code' in received) return refuseLife(life, received, receiving.ended);
    if (life.isClosed) return;
    stats.bytesIn += received.length;
    const body = await decodeBody(received, head.headers.get('content-encoding'), limits);
    if ('code' in body) return refuseLife(life, body, receiving.ended);
    if (body !== received) {
      const size = body.length;
      if (!budget.take(size)) return refuseLife(life, refuseForBudget(), receiving.ended);
      life.onClosed(() => budget.give(size));
    }
    const { method, path, query, headers } = head;
    // Not awaited: this function would be kept, and all that it knows, for as long as a stream lasts.
    const { client } = exchange;
    void handle(life, { id, client, method, path, params: {}, query, headers, body, signal: life.signal, receivedMs });
  };

  const handle = async (life: Life, request: HttpRequest): Promise<void> => {
    try {
      answer(life, await options.handler(request), false);
    } catch (error) {
      fail(life, error);
    }
  };

  /** Answers for a handler, or for the source of its answer, that failed. */
  const fail = (life: Life, error: unknown): void => {
    // A handler that was told that its client is gone may well reject.
    if (life.isClosed) return;
    const { code, message } = toErrorData(error);
    log({ event: 'handler failed', id: life.id, code, message });
    if (life.hasBegun) return life.exchange.close();
    answer(life, errorResponse({ code: 'internal_error', message, details: {} }), false);
  };

  /** Answers a refusal once the request was read to its end; where that does not come soon, its connection ends. */
  const refuseLife = async (life: Life, refusal: Refusal, ended?: Promise<void>): Promise<void> => {
    const { exchange } = life;
    countRefusal(refusal, life.id);
    if (refusal.framing === 'malformed') return exchange.close();
    // A client that waits to be asked for its body will not send it.
    const waits = ended === undefined && exchange.head.fields.some(([name]) => name.toLowerCase() === 'expect');
    const isRead =
      refusal.framing === 'sound' && !waits && (await within(LINGER_MS, ended ?? dropBody(sinkOf(life)), clock));
    answer(life, toRefusalResponse(refusal), !isRead);
  };

  const answer = (life: Life, response: HttpResponse, close: boolean): void => {
    if (life.isClosed) return dismissBody(response.body);
    const headers = { ...response.headers, ...life.headers };
    sendAnswer(sinkOf(life), { ...response, headers }, close || isDraining, (error) => fail(life, error));
  };

  return {
    stats,
    accept,
    countRefusal,
    stopAccepting: () => (isDraining = true),
    whenIdle: () => (lives.size === 0 ? Promise.resolve() : new Promise((resolve) => tellIdle.push(resolve))),
    abortAll: () => {
      for (const life of lives) life.abort('the server is shutting down');
    },
  };
}
