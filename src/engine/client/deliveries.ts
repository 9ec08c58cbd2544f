import { TurnBudget, Turns, type Clock } from '../../base/index.js';
import type { InFlightRequest } from './in-flight-request.js';

/** Milliseconds of delivery in one turn of the event loop: other events may wait that long. */
const TURN_MS = 0.5;

/**
 * Delivers engines' outputs: callers take turns, for a moment in each turn of the event loop. Each delivery writes an
 * answer, and a full step of 64 sequences would take 20 ms.
 */
export class Deliveries {
  readonly #budget: TurnBudget;
  readonly #turns = new Turns<InFlightRequest>();
  /** Requests that wait for their turn: tokens that arrive meanwhile are delivered together. */
  readonly #waiting = new Set<InFlightRequest>();
  #isTaking = false;

  constructor(clock: Clock) {
    this.#budget = new TurnBudget(clock, TURN_MS);
  }

  /** Queues `request` for delivery. */
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
