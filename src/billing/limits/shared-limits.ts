import { AppError, hasErrorCode, isAppError, isError, type Clock, type LogEntry } from '../../base/index.js';
import { CORRECT, TAKE } from './gcra.js';
import { overLimit, type LocalLimits } from './local-limits.js';
import type { Asked, RateLimits, Ticket } from './rate-limits.js';

/** What is used of a Valkey. */
interface Valkey {
  eval(script: string, keys: number, ...values: (string | number)[]): Promise<unknown>;
  disconnect(): void;
}

/** What shared limits work on. */
export interface SharedLimitsOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** What limits while the Valkey is away. */
  readonly local: LocalLimits;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** How long an answer may take: limits must not be slower than what they protect. */
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
    // Each command tells its own failure.
    valkey.on('error', () => {});
    // One that is not there may come later.
    await valkey.connect().catch(() => {});
    return new SharedLimits(valkey, options);
  }

  async take(asked: Asked): Promise<Ticket> {
    const { local, clock } = this.#options;
    const { requestsPerMinute, tokensPerMinute } = asked.limits;
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return local.take(asked);
    if (clock.nowMs() < this.#awayUntilMs) return local.take(asked);
    const ticket = local.count(asked);
    try {
      await this.#ask(asked);
      return this.#share(ticket, asked);
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

  /** Errors: `rate_limit_exceeded`, and those of the connection. */
  async #ask(asked: Asked): Promise<void> {
    const answer = await this.#run(TAKE, asked, 1, asked.tokens);
    const [which, waitMs] = Array.isArray(answer) ? answer.map(Number) : [];
    if (which === 1) throw overLimit('requests_per_minute', asked.limits, waitMs ?? 0);
    if (which === 2) throw overLimit('tokens_per_minute', asked.limits, waitMs ?? 0);
  }

  #share(ticket: Ticket, asked: Asked): Ticket {
    let counted = asked.tokens;
    const correct = (requests: number, tokens: number): void => {
      if (requests !== 0 || tokens !== 0)
        this.#run(CORRECT, asked, requests, tokens).catch((error: unknown) => this.#leaveAlone(error));
    };
    return {
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

  #run(script: string, { keyId, limits }: Asked, requests: number, tokens: number): Promise<unknown> {
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
