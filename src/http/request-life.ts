import { randomUUID } from 'node:crypto';
import type { Exchange } from './exchange.js';
import { CLIENT_GONE } from './client-left.js';
import type { Outlet } from './bodies/write-body.js';

/** Events of requests under way, for the counters of the server. */
export interface LifeEvents {
  onBytes(bytes: number): void;
  onStall(life: RequestLife): void;
  onClosed(life: RequestLife): void;
}

/** One request under way, from its head to the end of its answer. A class, since thousands may wait at once. */
export class RequestLife implements Outlet {
  /** The id that the client gave its request, where it is a plain one, or a new one. */
  readonly id: string;
  readonly exchange: Exchange;
  /** Headers of every answer to it: the id, and the headers for pages of other origins. */
  headers: Readonly<Record<string, string>>;
  /** The client may send its body: a client that waits for `100 Continue` got it. */
  isAsked = false;
  readonly #events: LifeEvents;
  #abort: AbortController | undefined;
  #reason: DOMException | undefined;
  #watchers: (() => void)[] = [];
  #hasBegun = false;
  #isClosed = false;

  constructor(exchange: Exchange, events: LifeEvents, createId: (() => string) | undefined) {
    this.id = createId === undefined ? idOf(exchange) : createId();
    this.exchange = exchange;
    this.headers = { 'x-request-id': this.id };
    this.#events = events;
    exchange.onClosed((complete) => this.#close(complete));
  }

  /** Aborted when the client is gone, or by `abort`. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#reason !== undefined) this.#abort.abort(this.#reason);
    return this.#abort.signal;
  }

  /** The head of the answer was sent. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  abort(why: string): void {
    this.#reason ??= new DOMException(why, 'AbortError');
    this.#abort?.abort(this.#reason);
  }

  onClosed(run: () => void): void {
    if (this.#isClosed) run();
    else this.#watchers.push(run);
  }

  begin(bytes: number): void {
    this.#hasBegun = true;
    this.#events.onBytes(bytes);
  }

  onBytes(bytes: number): void {
    this.#events.onBytes(bytes);
  }

  onStall(): void {
    this.#events.onStall(this);
  }

  #close(complete: boolean): void {
    this.#isClosed = true;
    this.#events.onClosed(this);
    if (!complete) this.abort(CLIENT_GONE);
    for (const run of this.#watchers) run();
    this.#watchers = [];
  }
}

function idOf({ head }: Exchange): string {
  const given = head.fields.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1] ?? '';
  return /^[A-Za-z0-9_-]{1,128}$/.test(given) ? given : randomUUID();
}
