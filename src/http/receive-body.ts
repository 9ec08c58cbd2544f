import type { Clock } from '../base/index.js';
import type { Exchange } from './exchange.js';
import type { HttpLimits } from './limits.js';
import { refuse, type Refusal } from './refusal.js';

/** The memory that bodies may take together, while they are received. */
export class BodyBudget {
  readonly #limit: number;
  #used = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  get usedBytes(): number {
    return this.#used;
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
 * Receives a body whole. Ends early with a refusal: above `bodyBytes`, beyond the budget of all bodies, or too slow:
 * `bodyProgressBytes` must come in every `bodyStallMs`. Bytes that come after that are dropped.
 */
export function receiveBody(
  exchange: Exchange,
  limits: HttpLimits,
  budget: BodyBudget,
  clock: Clock,
  closed: Promise<unknown>,
): Promise<Uint8Array | Refusal> {
  return new Promise((resolve) => {
    let pieces: Uint8Array[] | undefined = [];
    let size = 0;
    let sizeAtMark = 0;
    let stopWatch = (): void => {};

    const settle = (result: Uint8Array | Refusal): void => {
      if (pieces === undefined) return;
      pieces = undefined;
      stopWatch();
      budget.give(size);
      resolve(result);
    };
    const watch = (): void => {
      stopWatch = clock.after(limits.bodyStallMs, () => {
        if (size - sizeAtMark < limits.bodyProgressBytes) {
          settle(refuse('request_timeout', `the body did not come within ${limits.bodyStallMs} ms; ${size} bytes did`));
          return;
        }
        sizeAtMark = size;
        watch();
      });
    };

    watch();
    void closed.then(() => settle(new Uint8Array(0)));
    exchange.receive((piece, last) => {
      if (pieces === undefined) return;
      if (size + piece.length > limits.bodyBytes) {
        settle(refuse('request_too_large', `the body is larger than the limit of ${limits.bodyBytes} bytes`));
        return;
      }
      if (!budget.take(piece.length)) {
        settle(refuse('too_many_bodies', 'too many large bodies are being received; try again later'));
        return;
      }
      size += piece.length;
      if (piece.length > 0) pieces.push(piece);
      if (last) settle(pieces.length === 1 ? (pieces[0] ?? piece) : Buffer.concat(pieces, size));
    });
  });
}
