import type { Exchange } from './exchange.js';
import type { Outlet } from './bodies/write-body.js';

/** Takes a piece of a body, which then is its own; `last` exactly once. */
export type TakePiece = (piece: Uint8Array, last: boolean) => void;

/**
 * The body of a request as its transport brings it. The transport is paused until the body is taken, so at most the read under
 * way is held here: 64 KiB of Node, 512 KiB of uWebSockets.js.
 */
export class Incoming {
  readonly #exchange: Exchange;
  readonly #whenEnded: (() => void)[] = [];
  #held: Uint8Array[] = [];
  #take: TakePiece | undefined;
  #isEnded = false;
  #isPaused = false;

  /** To be made in the turn of the event loop that brought `exchange`. */
  constructor(exchange: Exchange, outlet: Outlet) {
    this.#exchange = exchange;
    exchange.receive((piece, last) => this.#arrive(piece, last));
    outlet.onClosed(() => this.#end());
  }

  /** Whether the last byte came. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Gives all received and later pieces to `take`, which replaces the earlier taker. */
  take(take: TakePiece): void {
    const held = this.#held;
    this.#held = [];
    this.#take = take;
    // Resume before handing over the pieces, since `take` may pause again.
    this.resume();
    for (const piece of held) take(piece, false);
    if (this.#isEnded) take(new Uint8Array(0), true);
  }

  /** Drops the rest. Resolves when the last byte came, or the connection broke. */
  drop(): Promise<void> {
    this.#take = () => {};
    this.#held = [];
    this.resume();
    return this.#isEnded ? Promise.resolve() : new Promise((resolve) => this.#whenEnded.push(resolve));
  }

  /** Pauses the transport. Bytes that it has read already still arrive. */
  pause(): void {
    if (this.#isPaused || this.#isEnded) return;
    this.#isPaused = true;
    this.#exchange.pause();
  }

  /** Asks for more. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#exchange.resume();
  }

  #arrive(piece: Uint8Array, last: boolean): void {
    if (this.#take === undefined && piece.length > 0) {
      this.#held.push(piece);
      if (!last) this.pause();
    }
    if (last) this.#end();
    this.#take?.(piece, last);
  }

  #end(): void {
    this.#isEnded = true;
    for (const run of this.#whenEnded) run();
    this.#whenEnded.length = 0;
  }
}
