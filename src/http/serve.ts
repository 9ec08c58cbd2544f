import { isAppError, toErrorData, type Clock } from '../base/index.js';
import { sendAnswer } from './answer.js';
import { checkHead } from './heads/check-head.js';
import { corsHeaders } from './heads/cors.js';
import type { Exchange } from './exchange.js';
import { Incoming } from './incoming.js';
import { RequestLife, type LifeEvents } from './request-life.js';
import type { HttpLimits } from './limits.js';
import type { FailedRequest, Handler, HttpHead, HttpResponse, ToErrorResponse } from './message.js';
import type { AllowedNames } from './heads/names.js';
import { createBodyDecoder } from './bodies/decode-body.js';
import { BodyBudget } from './bodies/receive-body.js';
import { refuse, type Refusal, type RefusalCode } from './refusal.js';
import { takeBody, type BodyContext } from './bodies/take-body.js';
import { within } from './within.js';
import { dismissBody } from './bodies/write-body.js';

/** How long the rest of an unwanted body is read and dropped: its sender then reads the answer instead of a reset. */
const LINGER_MS = 1_000;

/** An entry of a listener's log. Never a body, a query or a key. */
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

/** Options of serving. */
export interface ServingOptions {
  readonly handler: Handler;
  readonly toErrorResponse: ToErrorResponse;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly names: AllowedNames;
  readonly log: (event: HttpEvent) => void;
  /** Makes the id of each request; absent: a plain one that the client gave is taken. */
  readonly createId?: (() => string) | undefined;
}

/** Requests under way and their shared state. */
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
  /** Ends what it has beside them. */
  end(): Promise<void>;
}

/** Serves exchanges: checks heads, has the handler decide, brings it the body, writes what it answers. */
export function createServing(options: ServingOptions): Serving {
  const { limits, clock, log, toErrorResponse } = options;
  const none = { running: 0, requests: 0, bytesIn: 0, bytesOut: 0, stalledReaders: 0 };
  const stats: ServingStats = { ...none, refused: new Map() };
  const budget = new BodyBudget(limits.bodiesBytes);
  const decoder = createBodyDecoder();
  const lives = new Set<RequestLife>();
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
    const life = new RequestLife(exchange, events, options.createId);
    lives.add(life);
    stats.running++;
    stats.requests++;
    serve(life);
  };

  /** Checks a request and has it handled. */
  const serve = (life: RequestLife): void => {
    const { id, exchange } = life;
    const receivedMs = clock.nowMs();
    const checked = checkHead(exchange.head, options.names, limits);
    if ('code' in checked) return refuseEarly(life, checked);
    life.headers = { ...corsHeaders(checked), ...life.headers };
    if (isDraining) return refuseEarly(life, refuse('shutting_down', 'the server is shutting down'));
    const { method, path, query, headers, contentLength, wantsContinue } = checked;
    const { target, fields } = exchange.head;
    const { client } = exchange;
    const { signal } = life;
    const more = { headers, contentLength, signal, receivedMs };
    const head: HttpHead = { id, client, method, target, path, query, fields, ...more };
    takeBody(caller, { life, head, wantsContinue, incoming: new Incoming(exchange, life) });
  };

  const caller: BodyContext = {
    handler: options.handler,
    budget,
    decoder,
    sinkOf: (life) => ({ exchange: life.exchange, outlet: life, limits, clock }),
    countBytes: (bytes) => (stats.bytesIn += bytes),
    refuse: ({ life, incoming }, refusal) => {
      countRefusal(refusal, life.id);
      void answerUnread(life, incoming, toErrorResponse({ ...refusal, details: {} }, failed(life)));
    },
    answer: ({ life, incoming }, response) => answer(life, incoming, response, false),
    answerUnread: ({ life, incoming }, response) => void answerUnread(life, incoming, response),
    fail: ({ life, incoming }, error) => fail(life, incoming, error),
  };

  /** Answers for a handler, or for the source of its answer, that failed. */
  const fail = (life: RequestLife, incoming: Incoming, error: unknown): void => {
    // A handler whose client is gone may well reject.
    if (life.isClosed) return;
    const { code, message } = toErrorData(error);
    // Messages of V8 may quote their input.
    log({ event: 'handler failed', id: life.id, code, message: isAppError(error) ? message : 'see the code' });
    if (life.hasBegun) return life.exchange.close();
    void answerUnread(life, incoming, toErrorResponse({ code: 'internal_error', message, details: {} }, failed(life)));
  };

  /** Refuses a request by its head alone. */
  const refuseEarly = (life: RequestLife, refusal: Refusal): void => {
    countRefusal(refusal, life.id);
    if (refusal.framing === 'malformed') return life.exchange.close();
    const incoming = new Incoming(life.exchange, life);
    const response = toErrorResponse({ ...refusal, details: {} }, failed(life));
    if (refusal.framing === 'unknown') {
      void incoming.drop();
      answer(life, incoming, response, true);
    } else void answerUnread(life, incoming, response);
  };

  /** Answers once the rest of the body came and was dropped; where that takes too long, its connection ends. */
  const answerUnread = async (life: RequestLife, incoming: Incoming, response: HttpResponse): Promise<void> => {
    // A client that waits to be asked for its body will not send it.
    const waits = !life.isAsked && life.exchange.head.fields.some(([name]) => name.toLowerCase() === 'expect');
    const isRead = !waits && (await within(LINGER_MS, incoming.drop(), clock));
    answer(life, incoming, response, !isRead);
  };

  const answer = (life: RequestLife, incoming: Incoming, response: HttpResponse, close: boolean): void => {
    if (life.isClosed) return dismissBody(response.body);
    const dropRest = (): Promise<boolean> => within(LINGER_MS, incoming.drop(), clock);
    try {
      sendAnswer(caller.sinkOf(life), response, {
        headers: life.headers,
        close: close || isDraining,
        beforeEnd: incoming.isEnded || close ? undefined : dropRest,
        onFailure: (error) => fail(life, incoming, error),
      });
    } catch (error) {
      fail(life, incoming, error);
    }
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
    end: async () => decoder[Symbol.asyncDispose](),
  };
}

/** By its target as it came: a head that is refused may have nothing better. */
function failed({ id, exchange }: RequestLife): FailedRequest {
  const [path = ''] = exchange.head.target.split('?', 1);
  return { id, path };
}
