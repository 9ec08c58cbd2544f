import { AcceptanceRates } from './acceptance-rates.js';

/** Scopes whose rates are kept; the others' begin anew. Each takes a kilobyte. */
const MAX_SCOPES = 256;

/** What texts have taught of draft tokens, each scope's for itself: how well they are drafted says something of what they are. */
export class ScopedAcceptanceRates {
  readonly #common = new AcceptanceRates();
  /** The least recently used first. */
  readonly #byScope = new Map<string, AcceptanceRates>();

  /** The rates that the texts of a scope have taught; of those without one, together. */
  of(scope: string | undefined): AcceptanceRates {
    if (scope === undefined) return this.#common;
    const rates = this.#byScope.get(scope) ?? new AcceptanceRates();
    this.#byScope.delete(scope);
    this.#byScope.set(scope, rates);
    const [oldest] = this.#byScope.keys();
    if (this.#byScope.size > MAX_SCOPES && oldest !== undefined) this.#byScope.delete(oldest);
    return rates;
  }
}
