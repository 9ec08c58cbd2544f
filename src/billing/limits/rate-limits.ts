import type { RateState } from '../../metering/index.js';
import type { AccountKeyLimits } from '../billing.js';

/** A request's key, the limits of that key, and the tokens to count. */
export interface RateLimitRequest {
  readonly keyId: string;
  readonly limits: AccountKeyLimits;
  /** Prompt and first completion tokens that are reserved. */
  readonly tokens: number;
}

/** The share of a request in the limits of its key. */
export interface Ticket {
  /** The limits a minute now, as this node knows them; of a limit that nodes divide, this node's part. */
  rates(): RateState;
  /** Counts more tokens, which hold off later requests and stop none that is under way. */
  addTokens(tokens: number): void;
  /** Ends the request: the minute counts its actual tokens. */
  end(usedTokens: number): void;
  /** The request was not sent: it counts nowhere. */
  undo(): void;
}

/** Limits a minute and at a time. */
export interface RateLimits {
  /** Errors: `rate_limit_exceeded`. */
  take(asked: RateLimitRequest): Ticket | Promise<Ticket>;
}
