import { AppError } from '../../base/index.js';
import { streamResponse } from '../../endpoint/index.js';
import type { HttpResponse } from '../../http/index.js';
import type { AdminCall } from './admin-route.js';

/** An operator's proxy, such as `ssh -L`, keeps a connection open while bytes pass now and then. */
const KEEP_ALIVE_MS = 15_000;
const COMMIT_AFTER_MS = 1_000;

/** One event. `EventSource` dispatches events by their type. */
export interface TypedEvent {
  readonly type: string;
}

/**
 * A stream of events, which ends with its session: the last event is then `session_ended`. Reading a stream does not
 * extend the session. Errors: those of the first event.
 */
export function eventStream(
  { record, request }: Pick<AdminCall<unknown, unknown>, 'record' | 'request'>,
  open: (signal: AbortSignal) => AsyncGenerator<TypedEvent, void>,
): Promise<HttpResponse> {
  const { session } = record;
  const signal = session === undefined ? request.signal : AbortSignal.any([request.signal, session.signal]);
  return streamResponse(
    untilEnd(open(signal), session?.signal),
    { record, request },
    {
      mediaType: 'text/event-stream; charset=utf-8',
      frame: (json, event) => `event: ${(event as TypedEvent).type}\ndata: ${json}\n\n`,
      end: '',
      ping: ': ping\n\n',
      toErrors: ({ code, message }) => [{ type: 'error', code, message }],
      keepAliveMs: KEEP_ALIVE_MS,
      commitAfterMs: COMMIT_AFTER_MS,
    },
  );
}

async function* untilEnd(
  events: AsyncGenerator<TypedEvent, void>,
  session: AbortSignal | undefined,
): AsyncGenerator<TypedEvent, void> {
  yield* events;
  if (session?.aborted === true) yield { type: 'session_ended' };
}

/** Events that wait for a slow reader: beyond that the stream ends with an error, and is opened again. */
const MAX_WAITING = 5_000;

/** A queue of events between several writers and one reader. */
export class EventQueue<T> {
  readonly #events: T[] = [];
  #wake = (): void => {};
  #isOver = false;
  #isCut = false;

  /** Adds one. Too many end the queue. */
  push(event: T): void {
    if (this.#isOver) return;
    if (this.#events.length < MAX_WAITING) this.#events.push(event);
    else this.#isCut = this.#isOver = true;
    this.#wake();
  }

  /** Nothing more will come. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** The events as they come, until the end or an abort. Errors: `overloaded` for a reader that is too slow. */
  async *read(signal: AbortSignal): AsyncGenerator<T, void> {
    const onAbort = (): void => this.end();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted) {
        const event = this.#events.shift();
        if (event !== undefined) yield event;
        else if (this.#isOver) break;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    if (!this.#isCut) return;
    throw new AppError('overloaded', `more than ${MAX_WAITING} events wait for this reader; open the stream again`);
  }
}
