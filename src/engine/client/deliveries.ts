import { TurnBudget, Turns, type Clock } from '../../base/index.js';
import type { InFlightRequest } from './in-flight-request.js';

/** Milliseconds of delivering in one turn of the event loop: what else comes meanwhile may wait for them. */
const TURN_MS = 0.5;

/**
 * Hands on what engines have computed: callers take turns, for a moment in each turn of the event loop. Each piece is an answer
 * that is written, and a full step of 64 sequences would be 20 ms of that.
 */
export class Deliveries {
  readonly #budget: TurnBudget;
  readonly #turns = new Turns<InFlightRequest>();
  /** Those that wait for their turn: tokens that come meanwhile are handed on together. */
  readonly #waiting = new Set<InFlightRequest>();
  #isTaking = false;

  constructor(clock: Clock) {
    this.#budget = new TurnBudget(clock, TURN_MS);
  }

  /** Something has come for `request`. */
  push(request: InFlightRequest): void {
    if (this.#waiting.has(request)) return;
    this.#waiting.add(request);
    this.#turns.push(request.request.caller, request);
    if (!this.#isTaking) this.#take();
  }

  #take(): void {
    const request = this.#turns.take();
    this.#isTaking = request !== undefined;
    if (request === undefined) return;
    this.#waiting.delete(request);
    this.#budget.run(
      () => request.deliver(),
      () => this.#take(),
    );
  }
}
