import type { PageClock } from '../clock.js';
import { readEvents } from '../events.js';
import { fieldsOf, parseJson, textOf } from '../json.js';
import type { ApiClient } from './api-client.js';
import type { ApiFailure } from './api-answer.js';

/** The state of a live stream. `waiting`: it was interrupted and will be reopened soon. */
export type LiveState = 'connecting' | 'live' | 'waiting' | 'ended';

/** Options of a stream. */
export interface LiveOptions {
  readonly client: ApiClient;
  readonly path: string;
  readonly clock: PageClock;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  readonly onState: (state: LiveState, failure?: ApiFailure) => void;
  /** Called with each event as parsed JSON. True: it was the last one. */
  readonly onEvent: (event: unknown) => boolean | void;
}

/** The pause before the first retry, and the longest pause, in milliseconds. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;
/** The timeout of a stream, one day. A stream has no end, so the timeout of a request does not fit. */
const STREAM_MS = 86_400_000;
/** The last event of a stream whose session ended. */
const SESSION_ENDED = 'session_ended';

/** Reads a stream of events and reopens it after each interruption, until `signal` or its last event. */
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
      // A retry of a refused stream would be refused too.
      return onState('ended', answer.failure);
    }
    if (signal.aborted) return;
    onState('waiting', answer.ok ? undefined : answer.failure);
    await pause(waitMs, clock, signal);
    waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs);
  }
}

/** Reads all events. True: the stream reached its last event. */
async function readAll(body: ReadableStream<Uint8Array>, { client, onEvent, signal }: LiveOptions): Promise<boolean> {
  try {
    for await (const data of readEvents(body)) {
      const event = parseJson(data);
      if (textOf(fieldsOf(event)['type']) === SESSION_ENDED) client.interrupt();
      else if (!signal.aborted && onEvent(event) === true) return true;
    }
  } catch {
    // The stream was interrupted; the caller reopens it.
  }
  return false;
}

/** Resolves after `delayMs`, or at once if `signal` aborts. */
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
