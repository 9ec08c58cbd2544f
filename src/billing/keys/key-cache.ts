import { AppError, codeOf, type Clock } from '../../base/index.js';
import type { Caller } from '../billing.js';

/** How long an answer of the database is taken as it is. */
const FRESH_MS = 30_000;
/** How long while the database is away. */
const STALE_MS = 60_000;
/** Keys that are kept, some 1 KB each; beyond them the oldest are forgotten. */
const MAX_KEYS = 50_000;
/** Secrets that are looked up at once: a flood of made-up ones must not take the database from the others. */
const MAX_LOOKUPS = 64;

interface Cached {
  /** Undefined: nobody has this secret. */
  readonly caller: Caller | undefined;
  readonly atMs: number;
}

/** Who a secret is, by its hash, from memory or by `load`. */
export class KeyCache {
  readonly #load: (hash: string) => Promise<Caller | undefined>;
  readonly #clock: Clock;
  readonly #byHash = new Map<string, Cached>();
  readonly #loading = new Map<string, Promise<Caller | undefined>>();

  constructor(load: (hash: string) => Promise<Caller | undefined>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /** The callers that are in memory. */
  get callers(): readonly Caller[] {
    return [...this.#byHash.values()].flatMap(({ caller }) => caller ?? []);
  }

  /** Errors: `database_unavailable`. */
  async find(hash: string): Promise<Caller | undefined> {
    const cached = this.#byHash.get(hash);
    const ageMs = cached === undefined ? Infinity : this.#clock.nowMs() - cached.atMs;
    if (cached !== undefined && ageMs <= FRESH_MS) return cached.caller;
    try {
      return await this.#reload(hash);
    } catch (error) {
      if (cached !== undefined && ageMs <= STALE_MS && codeOf(error) === 'database_unavailable') return cached.caller;
      throw error;
    }
  }

  /** Forgets those of whom `isMeant`, so that they are asked for again; gives them. */
  forget(isMeant: (caller: Caller) => boolean): readonly Caller[] {
    const forgotten: Caller[] = [];
    for (const [hash, { caller }] of this.#byHash) {
      if (caller === undefined || !isMeant(caller)) continue;
      this.#byHash.delete(hash);
      forgotten.push(caller);
    }
    return forgotten;
  }

  /** Forgets all, as when messages of other nodes may have been missed. */
  clear(): void {
    this.#byHash.clear();
  }

  /** Several that ask for one secret wait for one answer. */
  #reload(hash: string): Promise<Caller | undefined> {
    const found = this.#loading.get(hash);
    if (found !== undefined) return found;
    if (this.#loading.size >= MAX_LOOKUPS) return Promise.reject(tooMany());
    const loading = this.#load(hash)
      .then((caller) => {
        this.#keep(hash, caller);
        return caller;
      })
      .finally(() => this.#loading.delete(hash));
    this.#loading.set(hash, loading);
    return loading;
  }

  #keep(hash: string, caller: Caller | undefined): void {
    this.#byHash.delete(hash);
    this.#byHash.set(hash, { caller, atMs: this.#clock.nowMs() });
    if (this.#byHash.size <= MAX_KEYS) return;
    for (const oldest of this.#byHash.keys()) {
      this.#byHash.delete(oldest);
      break;
    }
  }
}

function tooMany(): AppError {
  const message = `${MAX_LOOKUPS} keys are being looked up, which is the limit; try again in a second`;
  return new AppError('database_unavailable', message, { lookups: MAX_LOOKUPS });
}
