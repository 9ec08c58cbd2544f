import type { Database } from '../../database/index.js';
import { countRequest, SpanCounter, startOf, type Span } from '../../metering/index.js';
import type { RefusedRequest } from '../usage/usage-views.js';
import { addSpans, KINDS, NO_ANSWER, trafficPartsOf } from './span-rows.js';

/** Kinds of refusals that wait to be written: some 10 MB while the database is away. */
const MAX_KINDS = 20_000;

/** Requests of this node that were not admitted: counted in memory, and every few seconds in the database. */
export class Refusals {
  readonly #database: Database;
  readonly #nowMs: () => number;
  /** Refusals of one minute that are alike, by their fields. */
  #waiting = new Map<string, { readonly request: RefusedRequest; times: number }>();

  constructor(database: Database, nowMs: () => number) {
    this.#database = database;
    this.#nowMs = nowMs;
  }

  /** Counts a request, or `times` alike. Behind a limit it is in the sums of all requests alone. */
  note(request: RefusedRequest, times = 1): void {
    const { atMs, status, errorCode, accountId, provider, model } = request;
    const whole = [startOf('minute', atMs), status, errorCode ?? null];
    const kind = JSON.stringify([...whole, accountId ?? null, provider ?? null, model ?? null]);
    const found = this.#waiting.get(kind);
    if (found !== undefined) found.times += times;
    else if (this.#waiting.size < MAX_KINDS) this.#waiting.set(kind, { request, times });
    else this.#noteWhole(JSON.stringify(whole), request, times);
  }

  /** Writes what was counted. What cannot be written now is written later. Errors: `database_unavailable`. */
  async write(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.size === 0) return;
    this.#waiting = new Map();
    const counter = new SpanCounter(KINDS);
    for (const { request, times } of waiting.values()) {
      const counted = { ...NO_ANSWER, status: request.status, errorCode: request.errorCode };
      counter.add(request.atMs, trafficPartsOf(request), (span: Span) => {
        for (let i = 0; i < times; i++) countRequest(span, counted);
      });
    }
    try {
      await this.#database.transaction((queries) => addSpans(queries, counter, this.#nowMs()));
    } catch (error) {
      for (const { request, times } of waiting.values()) this.note(request, times);
      throw error;
    }
  }

  #noteWhole(kind: string, { atMs, status, errorCode }: RefusedRequest, times: number): void {
    const found = this.#waiting.get(kind);
    if (found !== undefined) found.times += times;
    else this.#waiting.set(kind, { request: { atMs, status, ...(errorCode !== undefined && { errorCode }) }, times });
  }
}
