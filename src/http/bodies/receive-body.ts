import type { Incoming } from '../incoming.js';
import { refuse, refuseForMemory, type Refusal } from '../refusal.js';
import type { Sink } from './write-body.js';

/** The memory that the bodies of all requests under way may take together. */
export class BodyBudget {
  readonly #limit: number;
  #used = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Takes `bytes`, or says false when that would pass the limit. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#limit) return false;
    this.#used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}

/**
 * Receives a body whole. Ends early with a refusal: above `maxBytes`, beyond the budget of all bodies, or too slow:
 * `bodyProgressBytes` must come in every `bodyStallMs`. Bytes that come after that are dropped. What was taken of the
 * budget is given back when the request is over, since its handler may hold the body until then.
 */
export function receiveBody(
  { outlet, limits, clock }: Sink,
  incoming: Incoming,
  budget: BodyBudget,
  maxBytes: number,
): Promise<Uint8Array | Refusal> {
  let pieces: Uint8Array[] | undefined = [];
  let size = 0;
  let stopWatch = (): void => {};
  let resolveBody = (_result: Uint8Array | Refusal): void => {};
  const body = new Promise<Uint8Array | Refusal>((resolve) => (resolveBody = resolve));

  const settle = (result: Uint8Array | Refusal): void => {
    if (pieces === undefined) return;
    stopWatch();
    resolveBody(result);
    // What is left waits for the end of the answer, and shall not keep the body until then.
    pieces = undefined;
    stopWatch = () => {};
    resolveBody = () => {};
  };
  const watch = (sizeBefore: number): void => {
    stopWatch = clock.after(limits.bodyStallMs, () => {
      if (size - sizeBefore >= limits.bodyProgressBytes) return watch(size);
      settle(
        refuse('request_timeout', `the body came too slowly: ${size} bytes, then too few in ${limits.bodyStallMs} ms`),
      );
    });
  };
  const add = (piece: Uint8Array): void => {
    if (pieces === undefined || piece.length === 0) return;
    if (size + piece.length > maxBytes) {
      settle(refuse('request_too_large', `the body is larger than the limit of ${maxBytes} bytes`));
    } else if (!budget.take(piece.length)) {
      settle(refuseForBudget());
    } else {
      size += piece.length;
      pieces.push(piece);
    }
  };

  watch(0);
  outlet.onClosed(() => {
    settle(new Uint8Array(0));
    budget.give(size);
  });
  incoming.take((piece, last) => {
    add(piece);
    if (!last || pieces === undefined) return;
    void join(pieces, size).then(settle, (error: unknown) => settle(refuseForMemory(error, size)));
  });
  return body;
}

/** Bytes copied in one turn of the event loop: some 2 ms. */
const COPY_BYTES = 4 * 1024 * 1024;

/** The pieces in a row, with room for others between copies: 32 MiB at once would hold up every stream for 15 ms. */
async function join(pieces: readonly Uint8Array[], size: number): Promise<Uint8Array> {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  let copied = 0;
  for (const piece of pieces) {
    if (copied >= COPY_BYTES) {
      await new Promise(setImmediate);
      copied = 0;
    }
    whole.set(piece, at);
    at += piece.length;
    copied += piece.length;
  }
  return whole;
}

/** The refusal of a body for which there is no room now. */
export function refuseForBudget(): Refusal {
  return refuse('too_many_bodies', 'too many requests with large bodies are under way; try again later');
}
