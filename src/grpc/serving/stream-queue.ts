import type { ServerHttp2Stream } from 'node:http2';
import { TurnBudget, Turns, type Clock } from '../../base/index.js';

/** A stream whose head has come, and the function that begins its call. */
export interface WaitingStream {
  readonly stream: ServerHttp2Stream;
  readonly begin: () => void;
}

/** Options of a queue. */
export interface StreamQueueOptions {
  readonly clock: Clock;
  /** Of streams that wait, among them those that were reset meanwhile. */
  readonly limit: number;
  /** How long no call of a client that has so many waiting is to begin; 0: one may. */
  readonly pausedMs: (client: string, numWaiting: number, nowMs: number) => number;
  /** A stream of a client has come. */
  readonly onCall: (client: string, nowMs: number) => void;
  /** One of its calls took so long to begin. */
  readonly onBegun: (client: string, spentMs: number, nowMs: number) => void;
}

/** Milliseconds of beginning calls in one turn of the event loop: the longest wait of another client's call for them. */
const TURN_MS = 0.5;

/**
 * Streams between their heads and their calls: of all clients one in turn, for a moment in each turn of the event loop.
 * A client that opens hundreds of streams at once then delays no other. A stream that its client resets before its turn
 * costs nothing more. Streams of a paused client wait until it resumes.
 */
export class StreamQueue {
  readonly #options: StreamQueueOptions;
  readonly #waiting = new Turns<WaitingStream & { readonly client: string }>();
  readonly #budget: TurnBudget;
  /** Whether calls are being begun, now or in the next turn. */
  #isTaking = false;
  /** Looks again when the first of those that are paused may go on. */
  #cancelLook: (() => void) | undefined;

  constructor(options: StreamQueueOptions) {
    this.#options = options;
    this.#budget = new TurnBudget(options.clock, TURN_MS);
  }

  /** Streams that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Begins a call now, or when it is the turn of `client`; false: too many wait, and it is not taken. One of a client that has
   * less than its share of the limit is always taken: those of others fill no place of it.
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

  /** Begins one call, and others in what is left of this turn, in the next ones, or when a client may go on. */
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
