import { AcceptanceRates } from './acceptance-rates.js';

/** Limit of scopes with rates; others begin anew. Each takes a kilobyte. */
const MAX_SCOPES = 256;

/** Learned acceptance rates, separate for each scope: the quality of drafts reveals something of their text. */
export class ScopedAcceptanceRates {
  readonly #common = new AcceptanceRates();
  /** The least recently used first. */
  readonly #byScope = new Map<string, AcceptanceRates>();

  /** The rates learned from the texts of a scope; texts without one share theirs. */
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
