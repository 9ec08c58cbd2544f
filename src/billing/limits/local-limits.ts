import type { AppError, Clock } from '../../base/index.js';
import { SlidingWindow, type RateLimitState, type RateState } from '../../metering/index.js';
import { overLimit } from './over-limit.js';
import type { RateLimitRequest, RateLimits, Ticket } from './rate-limits.js';

/** Options of local limits. */
export interface LocalLimitsOptions {
  readonly clock: Clock;
  /** Nodes that live: each has its part of a limit, and at least one request. */
  readonly nodes: () => number;
}

interface KeyCounts {
  readonly requests: SlidingWindow;
  readonly tokens: SlidingWindow;
  running: number;
  lastMs: number;
}

/** How long a key that does nothing is remembered: its minute is over. */
const FORGET_MS = 120_000;
/** Keys after which the idle ones are looked for. */
const MANY_KEYS = 10_000;
/** The end of a parallel request cannot be predicted: a second is the usual first pause. */
const PARALLEL_RETRY_MS = 1_000;

/**
 * The limits of keys on this node, exact over any minute, on the assumption that nodes get equal parts of all requests.
 */
export class LocalLimits implements RateLimits {
  readonly #options: LocalLimitsOptions;
  readonly #keys = new Map<string, KeyCounts>();

  constructor(options: LocalLimitsOptions) {
    this.#options = options;
  }

  take(asked: RateLimitRequest): Ticket {
    return this.#take(asked, asked.limits);
  }

  /** Counts as `take` does, and refuses only by how many requests run: the rest is limited elsewhere. */
  count(asked: RateLimitRequest): Ticket {
    const { parallelRequests } = asked.limits;
    return this.#take(asked, parallelRequests === undefined ? {} : { parallelRequests });
  }

  #take({ keyId, limits: all, tokens }: RateLimitRequest, limits: Partial<RateLimitRequest['limits']>): Ticket {
    const nowMs = this.#options.clock.nowMs();
    const counts = this.#countsOf(keyId, nowMs);
    const { requestsPerMinute, tokensPerMinute, parallelRequests } = limits;
    const [requests, most, parallel] = [requestsPerMinute, tokensPerMinute, parallelRequests].map((limit) =>
      this.#partOf(limit),
    );
    const over = (limit: Parameters<typeof overLimit>[0], waitMs: number | undefined): AppError =>
      overLimit(limit, all, waitMs, this.#ratesOf(counts, limits));
    if (counts.running >= (parallel ?? Infinity)) throw over('parallel_requests', PARALLEL_RETRY_MS);
    if (counts.requests.sum(nowMs) + 1 > (requests ?? Infinity))
      throw over('requests_per_minute', counts.requests.waitMs((requests ?? 1) - 1, nowMs));
    if (most !== undefined && tokens > most) throw over('tokens_per_minute', undefined);
    if (most !== undefined && counts.tokens.sum(nowMs) + tokens > most)
      throw over('tokens_per_minute', counts.tokens.waitMs(most - tokens, nowMs));
    return this.#open(counts, tokens, nowMs, limits);
  }

  #partOf(limit: number | undefined): number | undefined {
    return limit === undefined ? undefined : Math.max(1, Math.floor(limit / this.#options.nodes()));
  }

  #ratesOf(counts: KeyCounts, { requestsPerMinute, tokensPerMinute }: Partial<RateLimitRequest['limits']>): RateState {
    const nowMs = this.#options.clock.nowMs();
    const rateOf = (limit: number | undefined, window: SlidingWindow): RateLimitState | undefined => {
      const part = this.#partOf(limit);
      if (part === undefined) return undefined;
      return { limit: part, remaining: Math.max(0, part - window.sum(nowMs)), resetMs: window.waitMs(0, nowMs) };
    };
    const requests = rateOf(requestsPerMinute, counts.requests);
    const tokens = rateOf(tokensPerMinute, counts.tokens);
    return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) };
  }

  #open(counts: KeyCounts, tokens: number, nowMs: number, limits: Partial<RateLimitRequest['limits']>): Ticket {
    const { clock } = this.#options;
    const requestSlot = counts.requests.add(1, nowMs);
    const slots = [{ at: counts.tokens.add(tokens, nowMs), tokens }];
    counts.running++;
    const correct = (used: number): void => {
      let surplus = slots.reduce((sum, slot) => sum + slot.tokens, 0) - used;
      if (surplus < 0) counts.tokens.add(-surplus, clock.nowMs());
      for (const slot of slots.toReversed()) {
        const taken = Math.min(Math.max(surplus, 0), slot.tokens);
        counts.tokens.takeBack(taken, slot.at);
        surplus -= taken;
      }
      counts.running--;
    };
    return {
      rates: () => this.#ratesOf(counts, limits),
      addTokens: (more) => void slots.push({ at: counts.tokens.add(more, clock.nowMs()), tokens: more }),
      end: correct,
      undo() {
        counts.requests.takeBack(1, requestSlot);
        correct(0);
      },
    };
  }

  #countsOf(keyId: string, nowMs: number): KeyCounts {
    const found = this.#keys.get(keyId);
    if (found !== undefined) {
      found.lastMs = nowMs;
      return found;
    }
    if (this.#keys.size >= MANY_KEYS) this.#forgetIdle(nowMs);
    const counts = { requests: new SlidingWindow(), tokens: new SlidingWindow(), running: 0, lastMs: nowMs };
    this.#keys.set(keyId, counts);
    return counts;
  }

  #forgetIdle(nowMs: number): void {
    for (const [id, { running, lastMs }] of this.#keys) {
      if (running === 0 && nowMs - lastMs > FORGET_MS) this.#keys.delete(id);
    }
  }
}
