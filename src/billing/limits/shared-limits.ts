import { AppError, hasErrorCode, isAppError, isError, type Clock, type LogEntry } from '../../base/index.js';
import type { RateLimitState, RateState } from '../../metering/index.js';
import { CORRECT, TAKE } from './gcra.js';
import type { LocalLimits } from './local-limits.js';
import { overLimit } from './over-limit.js';
import type { RateLimitRequest, RateLimits, Ticket } from './rate-limits.js';

/** The commands of a Valkey that limits use. */
interface Valkey {
  eval(script: string, keys: number, ...values: (string | number)[]): Promise<unknown>;
  disconnect(): void;
}

/** Options of shared limits. */
export interface SharedLimitsOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** The limits in force while the Valkey is away. */
  readonly local: LocalLimits;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** How long an answer may take: limits must not be slower than the upstreams that they protect. */
const ANSWER_MS = 250;
/** How long the Valkey is left alone after it failed. */
const PAUSE_MS = 2_000;
/** How often it is tried again to connect. */
const RECONNECT_MS = 1_000;

/** Limits a minute that all nodes share, by one script of a Valkey; how many requests run is limited on each node. */
export class SharedLimits implements RateLimits {
  readonly #valkey: Valkey;
  readonly #options: SharedLimitsOptions;
  #awayUntilMs = -Infinity;

  private constructor(valkey: Valkey, options: SharedLimitsOptions) {
    this.#valkey = valkey;
    this.#options = options;
  }

  /** Connects, as far as the Valkey is there. Errors: `shared_limits_missing`. */
  static async open(options: SharedLimitsOptions): Promise<SharedLimits> {
    const { Redis } = await loadClient();
    const valkey = new Redis(options.url, {
      lazyConnect: true,
      connectTimeout: RECONNECT_MS,
      commandTimeout: ANSWER_MS,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      retryStrategy: () => RECONNECT_MS,
    });
    // Each command reports its own failure.
    valkey.on('error', () => {});
    // One that is not there may come later.
    await valkey.connect().catch(() => {});
    return new SharedLimits(valkey, options);
  }

  async take(asked: RateLimitRequest): Promise<Ticket> {
    const { local, clock } = this.#options;
    const { requestsPerMinute, tokensPerMinute } = asked.limits;
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return local.take(asked);
    if (clock.nowMs() < this.#awayUntilMs) return local.take(asked);
    const ticket = local.count(asked);
    try {
      const ahead = await this.#ask(asked);
      return this.#share(ticket, asked, ahead);
    } catch (error) {
      ticket.undo();
      if (isAppError(error)) throw error;
      this.#leaveAlone(error);
      return local.take(asked);
    }
  }

  close(): void {
    this.#valkey.disconnect();
  }

  /**
   * Asks the Valkey, and returns the limits after the request. Errors: `rate_limit_exceeded`, and those of the
   * connection.
   */
  async #ask(asked: RateLimitRequest): Promise<Ahead> {
    const { limits, tokens } = asked;
    const answer = await this.#run(TAKE, asked, 1, tokens);
    const [which, waitMs, requestsMs = -1, tokensMs = -1] = Array.isArray(answer) ? answer.map(Number) : [];
    const ahead = { requestsMs, tokensMs };
    if (which === 1) throw overLimit('requests_per_minute', limits, waitMs ?? 0, toRates(ahead, limits, 0));
    const isTooLarge = tokens > (limits.tokensPerMinute ?? Infinity);
    if (which === 2)
      throw overLimit('tokens_per_minute', limits, isTooLarge ? undefined : waitMs, toRates(ahead, limits, 0));
    return ahead;
  }

  #share(ticket: Ticket, asked: RateLimitRequest, ahead: Ahead): Ticket {
    let counted = asked.tokens;
    const { clock } = this.#options;
    const takenMs = clock.nowMs();
    const correct = (requests: number, tokens: number): void => {
      if (requests !== 0 || tokens !== 0)
        this.#run(CORRECT, asked, requests, tokens).catch((error: unknown) => this.#leaveAlone(error));
    };
    return {
      rates: () => toRates(ahead, asked.limits, clock.nowMs() - takenMs),
      addTokens(more) {
        ticket.addTokens(more);
        counted += more;
        correct(0, more);
      },
      end(usedTokens) {
        ticket.end(usedTokens);
        correct(0, usedTokens - counted);
      },
      undo() {
        ticket.undo();
        correct(-1, -counted);
      },
    };
  }

  #run(script: string, { keyId, limits }: RateLimitRequest, requests: number, tokens: number): Promise<unknown> {
    // The braces put both on one node of a cluster.
    const keys = [`troupe:{${keyId}}:requests`, `troupe:{${keyId}}:tokens`];
    const most = [limits.requestsPerMinute ?? 0, limits.tokensPerMinute ?? 0];
    return this.#valkey.eval(script, keys.length, ...keys, ...most, requests, tokens);
  }

  #leaveAlone(error: unknown): void {
    const { clock, log } = this.#options;
    if (clock.nowMs() < this.#awayUntilMs) return;
    this.#awayUntilMs = clock.nowMs() + PAUSE_MS;
    log({ event: 'shared limits away', reason: isError(error) ? error.message : String(error) });
  }
}

/** Milliseconds until the counted amount of a limit is paid off; -1: no such limit. */
interface Ahead {
  readonly requestsMs: number;
  readonly tokensMs: number;
}

const MINUTE_MS = 60_000;

/** The limits `passedMs` after the query, without requests that other nodes have counted since. */
function toRates(
  ahead: Ahead,
  { requestsPerMinute, tokensPerMinute }: RateLimitRequest['limits'],
  passedMs: number,
): RateState {
  const rateOf = (limit: number | undefined, aheadMs: number): RateLimitState | undefined => {
    if (limit === undefined) return undefined;
    const resetMs = Math.max(0, aheadMs - passedMs);
    return { limit, remaining: Math.max(0, Math.floor((1 - resetMs / MINUTE_MS) * limit)), resetMs };
  };
  const requests = rateOf(requestsPerMinute, ahead.requestsMs);
  const tokens = rateOf(tokensPerMinute, ahead.tokensMs);
  return { ...(requests !== undefined && { requests }), ...(tokens !== undefined && { tokens }) };
}

async function loadClient() {
  try {
    return await import('iovalkey');
  } catch (error) {
    if (!hasErrorCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    const message =
      'limits are to be shared by a Valkey, and the package iovalkey is not installed; install it: npm install iovalkey';
    throw new AppError('shared_limits_missing', message, {}, { cause: error });
  }
}
