import type { ServerHttp2Stream } from 'node:http2';
import { TurnBudget, Turns, type Clock } from '../../base/index.js';

/** A stream whose head has arrived, and the function that begins its call. */
export interface WaitingStream {
  readonly stream: ServerHttp2Stream;
  readonly begin: () => void;
}

/** Options of a queue. */
export interface StreamQueueOptions {
  readonly clock: Clock;
  /** The most waiting streams, including streams that were reset while they waited. */
  readonly limit: number;
  /** Milliseconds for which no call of a client with `numWaiting` streams may begin; 0: none. */
  readonly pausedMs: (client: string, numWaiting: number, nowMs: number) => number;
  /** Called for each new stream of a client. */
  readonly onCall: (client: string, nowMs: number) => void;
  /** Called with the time that a call took to begin. */
  readonly onBegun: (client: string, spentMs: number, nowMs: number) => void;
}

/** Milliseconds for beginning calls in one turn of the event loop, which bounds the wait of other clients' calls. */
const TURN_MS = 0.5;

/**
 * Streams between their heads and their calls. In each turn of the event loop, calls of the clients begin round-robin
 * for a moment. A client that opens hundreds of streams at once then delays no other client. A stream that is reset
 * before its turn costs nothing more. Streams of a paused client wait until it resumes.
 */
export class StreamQueue {
  readonly #options: StreamQueueOptions;
  readonly #waiting = new Turns<WaitingStream & { readonly client: string }>();
  readonly #budget: TurnBudget;
  /** Whether calls begin now or in the next turn. */
  #isTaking = false;
  /** Cancels the timer for the end of the earliest pause. */
  #cancelLook: (() => void) | undefined;

  constructor(options: StreamQueueOptions) {
    this.#options = options;
    this.#budget = new TurnBudget(options.clock, TURN_MS);
  }

  /** The number of waiting streams. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Begins a call now or at the client's turn. False: too many wait, and the stream is refused. A client below its
   * share of the limit is always accepted, whatever number of streams others have.
   */
  push(client: string, waiting: WaitingStream): boolean {
    const { limit, clock, onCall } = this.#options;
    onCall(client, clock.nowMs());
    const own = this.#waiting.sizeOf(client);
    const share = limit / (this.#waiting.numOwners + (own === 0 ? 1 : 0));
    if (this.#waiting.size >= limit && own >= share) return false;
    this.#waiting.push(client, { ...waiting, client });
    if (!this.#isTaking) this.#take();
    return true;
  }

  /** Begins one call, then others in the rest of this turn, in later turns, or when a client's pause ends. */
  #take(): void {
    const { clock, pausedMs, onBegun } = this.#options;
    const nowMs = clock.nowMs();
    let waitMs = Infinity;
    const mayBegin = (client: unknown, numWaiting: number): boolean => {
      const ms = pausedMs(client as string, numWaiting, nowMs);
      if (ms > 0) waitMs = Math.min(waitMs, ms);
      return ms <= 0;
    };
    let next = this.#waiting.take(mayBegin);
    while (next !== undefined && (next.stream.closed || next.stream.destroyed)) next = this.#waiting.take(mayBegin);
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    this.#isTaking = next !== undefined;
    if (next !== undefined) {
      const { begin, client } = next;
      const onSpent = (spentMs: number): void => onBegun(client, spentMs, clock.nowMs());
      this.#budget.run(begin, () => this.#take(), onSpent);
    } else if (this.#waiting.size > 0) this.#cancelLook = clock.after(waitMs, () => this.#look());
  }

  #look(): void {
    this.#cancelLook = undefined;
    if (!this.#isTaking) this.#take();
  }
}
