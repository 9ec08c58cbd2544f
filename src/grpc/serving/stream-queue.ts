import type { ServerHttp2Stream } from 'node:http2';
import { Turns, type Clock } from '../../base/index.js';

/** A stream whose head has come, and what makes a call of it. */
export interface WaitingStream {
  readonly stream: ServerHttp2Stream;
  readonly begin: () => void;
}

/** Milliseconds of beginning calls in one turn of the event loop: what a call of another client may wait for them. */
const TURN_MS = 1;

/**
 * Streams between their heads and their calls: of all connections one in turn, for a moment in each turn of the event loop.
 * So a client that opens hundreds of streams at once keeps no other waiting, and a stream that its client resets before its
 * turn costs nothing more.
 */
export class StreamQueue {
  readonly #clock: Clock;
  readonly #waiting = new Turns<WaitingStream>();
  #spentMs = 0;
  #isScheduled = false;

  readonly #limit: number;

  /** `limit`: of streams that wait, among them those that were reset meanwhile; one more for each connection. */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /**
   * Begins a call now, or when it is the turn of `connection`; false: too many wait, and it is not taken. One of a connection of
   * which none waits is always taken: those of others fill no place of it.
   */
  push(connection: object, waiting: WaitingStream): boolean {
    if (this.#waiting.size >= this.#limit && this.#waiting.has(connection)) return false;
    this.#waiting.push(connection, waiting);
    if (!this.#isScheduled) this.#take();
    return true;
  }

  /** Begins calls for what is left of this turn; the rest in the next one. */
  #take(): void {
    const beganMs = this.#clock.nowMs() - this.#spentMs;
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      if (next.stream.closed || next.stream.destroyed) continue;
      next.begin();
      this.#spentMs = this.#clock.nowMs() - beganMs;
      if (this.#spentMs >= TURN_MS) break;
    }
    if (this.#isScheduled || (this.#waiting.size === 0 && this.#spentMs === 0)) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spentMs = 0;
      if (this.#waiting.size > 0) this.#take();
    });
  }
}
