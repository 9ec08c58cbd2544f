import type { PageClock } from '../clock.js';
import { readEvents } from '../events.js';
import { fieldsOf, parseJson, textOf } from '../json.js';
import type { ApiClient } from './api-client.js';
import type { ApiFailure } from './api-answer.js';

/** How a live stream does. `waiting`: it broke off and is opened again soon. */
export type LiveState = 'connecting' | 'live' | 'waiting' | 'ended';

/** Options of a stream. */
export interface LiveOptions {
  readonly client: ApiClient;
  readonly path: string;
  readonly clock: PageClock;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly onState: (state: LiveState, failure?: ApiFailure) => void;
  /** One event, as JSON. True: it was the last one. */
  readonly onEvent: (event: unknown) => boolean | void;
}

/** Until the first try again, which grows to the longest, in milliseconds. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/** A stream has no end: the time of a request does not hold for it. A day. */
const STREAM_MS = 86_400_000;
/** The last event when the session of a stream ended. */
const SESSION_ENDED = 'session_ended';

/** Reads a stream of events, and opens it again whenever it breaks off, until `signal` or its last event. */
export async function followEvents(options: LiveOptions): Promise<void> {
  const { client, path, clock, signal, onState } = options;
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    onState('connecting');
    const answer = await client.open(path, { signal, timeoutMs: STREAM_MS });
    if (answer.ok && answer.value.body !== null) {
      onState('live');
      waitMs = FIRST_WAIT_MS;
      if (await readAll(answer.value.body, options)) return onState('ended');
    } else if (!answer.ok && answer.failure.status >= 400 && answer.failure.status < 500) {
      // A refused stream would be refused a second later, too.
      return onState('ended', answer.failure);
    }
    if (signal.aborted) return;
    onState('waiting', answer.ok ? undefined : answer.failure);
    await pause(waitMs, clock, signal);
    waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs);
  }
}

/** Whether it came to its last event. */
async function readAll(body: ReadableStream<Uint8Array>, { client, onEvent, signal }: LiveOptions): Promise<boolean> {
  try {
    for await (const data of readEvents(body)) {
      const event = parseJson(data);
      if (textOf(fieldsOf(event)['type']) === SESSION_ENDED) client.interrupt();
      else if (!signal.aborted && onEvent(event) === true) return true;
    }
  } catch {
    // It broke off; it is opened again.
  }
  return false;
}

/** Resolves after `delayMs`, or at once when `signal` is aborted. */
function pause(delayMs: number, clock: PageClock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    const stop = (): void => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
