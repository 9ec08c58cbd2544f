// Decides which requests an upstream gets while it fails. Failures of one model do not count against another, and
// failures of one account's requests do not count against other accounts: an account could send requests at which its
// model always fails.
import type { Clock } from '../../base/index.js';
import { CircuitBreaker, DEFAULT_BREAKER, type BreakerState, type TargetResult } from '../../relay/index.js';

/** How a request ended: as for a target of a group, or `unreached`: there was no connection. */
export type UpstreamResult = TargetResult | 'unreached';

/** The model and the account of a request. */
export interface UpstreamTopic {
  readonly model: string;
  readonly account: string;
}

/** A request that may go out, until it is over. */
export interface UpstreamAttempt {
  /** The head of a successful answer arrived: a breaker need not wait for the end of a stream. */
  answered(): void;
  /** The first call counts. */
  end(result: UpstreamResult): void;
}

/** Models of one upstream, and accounts of one model, whose failures are counted; the oldest are forgotten beyond that. */
const MAX_MODELS = 1_000;
const MAX_ACCOUNTS = 1_000;

/** Failures of one model. */
interface OfModel {
  /** For all accounts: opened by failures of two accounts at least. */
  readonly shared: CircuitBreaker;
  readonly accounts: Map<string, CircuitBreaker>;
  /** Accounts that have failed since the last success. */
  readonly failing: Set<string>;
  /** Failures of the first of them, until another fails too. */
  held: number;
  /** Since the last success, of all accounts. */
  failures: number;
}

/**
 * The breakers of one upstream. A failed connection closes it to everything. Failures of a model close the model: to
 * the one account that meets them, or to all where several accounts do.
 */
export class UpstreamBreakers {
  readonly #clock: Clock;
  readonly #reach: CircuitBreaker;
  readonly #models = new Map<string, OfModel>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#reach = new CircuitBreaker(clock);
  }

  /** Of the upstream as a whole. */
  get state(): BreakerState {
    return this.#reach.state;
  }

  /** Models that no account may ask for now. */
  get closedModels(): readonly string[] {
    return [...this.#models].flatMap(([model, { shared }]) => (shared.state === 'open' ? [model] : []));
  }

  /** Models whose requests fail, of any account. Operators get an alert; nothing closes. */
  get failingModels(): readonly string[] {
    return [...this.#models].flatMap(([model, { failures }]) => (failures >= DEFAULT_BREAKER.failures ? [model] : []));
  }

  /** Undefined: the request may not go out now. */
  begin({ model, account }: UpstreamTopic): UpstreamAttempt | undefined {
    const ofModel = this.#models.get(model);
    const own = ofModel?.accounts.get(account);
    const breakers = [this.#reach, ...(ofModel ? [ofModel.shared] : []), ...(own ? [own] : [])];
    if (!breakers.every(({ isReady }) => isReady)) return undefined;
    for (const breaker of breakers) breaker.begin();
    let isOver = false;
    return {
      answered: () => {
        if (!isOver) this.#succeed(model, account);
      },
      end: (result) => {
        if (isOver) return;
        isOver = true;
        if (result === 'succeeded') return this.#succeed(model, account);
        if (result === 'unreached') this.#reach.fail();
        else this.#reach.forget();
        // An answer that failed came over a connection.
        if (result === 'failed') {
          this.#reach.succeed();
          return this.#fail(model, account);
        }
        ofModel?.shared.forget();
        own?.forget();
      },
    };
  }

  #succeed(model: string, account: string): void {
    this.#reach.succeed();
    const ofModel = this.#models.get(model);
    if (ofModel === undefined) return;
    ofModel.shared.succeed();
    ofModel.failing.clear();
    ofModel.held = 0;
    ofModel.failures = 0;
    ofModel.accounts.delete(account);
    if (ofModel.accounts.size === 0) this.#models.delete(model);
  }

  #fail(model: string, account: string): void {
    const ofModel = this.#models.get(model) ?? {
      shared: new CircuitBreaker(this.#clock),
      accounts: new Map<string, CircuitBreaker>(),
      failing: new Set<string>(),
      held: 0,
      failures: 0,
    };
    keepLast(this.#models, model, ofModel, MAX_MODELS);
    const own = ofModel.accounts.get(account) ?? new CircuitBreaker(this.#clock);
    keepLast(ofModel.accounts, account, own, MAX_ACCOUNTS);
    own.fail();
    ofModel.failures++;
    ofModel.failing.add(account);
    if (ofModel.failing.size === 1) {
      ofModel.held++;
      // A trial that failed keeps the model closed, also a trial of one account.
      if (ofModel.shared.state === 'half-open') ofModel.shared.fail();
      return;
    }
    // More than a breaker counts make no difference.
    const count = 1 + Math.min(ofModel.held, DEFAULT_BREAKER.failures);
    ofModel.held = 0;
    for (let i = 0; i < count; i++) ofModel.shared.fail();
  }
}

/** Puts a value at the end of a map, and forgets the first beyond `limit`. */
function keepLast<T>(map: Map<string, T>, key: string, value: T, limit: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > limit && oldest !== undefined) map.delete(oldest);
}
