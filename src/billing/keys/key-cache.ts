import { AppError, codeOf, type Clock } from '../../base/index.js';
import type { Caller } from '../billing.js';

/** Lifetime of a cached answer of the database. */
const FRESH_MS = 30_000;
/** How long while the database is away. */
const STALE_MS = 60_000;
/** Keys that are kept, some 1 KB each; beyond them the oldest are forgotten. */
const MAX_KEYS = 50_000;
/** Cached unknown secrets. They have their own limit: made-up secrets must not evict those of callers. */
const MAX_UNKNOWN = 1_000;
/** Secrets that are looked up at once: a flood of made-up ones must not take the database from the others. */
const MAX_LOOKUPS = 64;

interface Cached {
  readonly caller: Caller;
  readonly atMs: number;
}

/** Callers by the hashes of their secrets, from memory or by `load`. */
export class KeyCache {
  readonly #load: (hash: string) => Promise<Caller | undefined>;
  readonly #clock: Clock;
  readonly #byHash = new Map<string, Cached>();
  /** Hashes of unknown secrets, and when the database was asked for them. */
  readonly #unknown = new Map<string, number>();
  readonly #loading = new Map<string, Promise<Caller | undefined>>();

  constructor(load: (hash: string) => Promise<Caller | undefined>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /** The callers that are in memory. */
  get callers(): readonly Caller[] {
    return [...this.#byHash.values()].map(({ caller }) => caller);
  }

  /** Errors: `database_unavailable`. */
  async find(hash: string): Promise<Caller | undefined> {
    const nowMs = this.#clock.nowMs();
    const cached = this.#byHash.get(hash);
    const ageMs = cached === undefined ? Infinity : nowMs - cached.atMs;
    if (cached !== undefined && ageMs <= FRESH_MS) return cached.caller;
    if (nowMs - (this.#unknown.get(hash) ?? -Infinity) <= FRESH_MS) return undefined;
    try {
      return await this.#reload(hash, cached !== undefined);
    } catch (error) {
      if (cached !== undefined && ageMs <= STALE_MS && codeOf(error) === 'database_unavailable') return cached.caller;
      throw error;
    }
  }

  /** Forgets callers of which `isMeant` is true, and returns them. The next request loads them again. */
  forget(isMeant: (caller: Caller) => boolean): readonly Caller[] {
    const forgotten: Caller[] = [];
    for (const [hash, { caller }] of this.#byHash) {
      if (!isMeant(caller)) continue;
      this.#byHash.delete(hash);
      forgotten.push(caller);
    }
    return forgotten;
  }

  /** Changes the cached caller of a secret; its age stays. */
  change(hash: string, toCaller: (before: Caller) => Caller): void {
    const cached = this.#byHash.get(hash);
    if (cached !== undefined) this.#byHash.set(hash, { ...cached, caller: toCaller(cached.caller) });
  }

  /** Several that ask for one secret wait for one answer. */
  #reload(hash: string, isKnown: boolean): Promise<Caller | undefined> {
    const found = this.#loading.get(hash);
    if (found !== undefined) return found;
    if (!isKnown && this.#loading.size >= MAX_LOOKUPS) return Promise.reject(tooMany());
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
    const atMs = this.#clock.nowMs();
    this.#byHash.delete(hash);
    this.#unknown.delete(hash);
    if (caller === undefined) keepNewest(this.#unknown, hash, atMs, MAX_UNKNOWN);
    else keepNewest(this.#byHash, hash, { caller, atMs }, MAX_KEYS);
  }
}

/** Maps keep the order in which entries came. */
function keepNewest<T>(entries: Map<string, T>, key: string, value: T, most: number): void {
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

function tooMany(): AppError {
  const message = `${MAX_LOOKUPS} keys are being looked up, which is the limit; try again in a second`;
  return new AppError('database_unavailable', message, { lookups: MAX_LOOKUPS });
}
