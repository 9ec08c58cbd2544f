import type { Grace, KeyDefinition, KeyLimits, KeyRecord, KeyState } from './key-record.js';
import type { KeyView } from './key-selection.js';
import type { StoredKey } from './key-table.js';

/** A key in memory. Flat, since there may be 50,000: other views are made on demand. */
export class KeyEntry {
  readonly id: string;
  readonly prefix: string;
  readonly hash: string;
  readonly name: string;
  readonly models: KeyRecord['models'];
  readonly expiresAtMs: number | null;
  readonly limits: KeyLimits;
  readonly origin: KeyRecord['origin'];
  readonly createdAtMs: number;
  graces: readonly Grace[];
  lastUsedAtMs: number | undefined;
  readonly #state: StoredKey['state'];
  readonly #hasRules: boolean;
  readonly #fileHash: string | undefined;
  readonly #rotatedFrom: string | undefined;
  readonly #lastStoredMs: number | undefined;

  /** The row of the database, and the rules in force; the secret is the database's. */
  constructor(
    stored: StoredKey,
    { name, models, expiresAtMs, limits }: KeyDefinition,
    origin: KeyRecord['origin'],
    graces: readonly Grace[],
    lastUsedAtMs: number | undefined,
  ) {
    this.id = stored.id;
    this.prefix = stored.prefix;
    this.hash = stored.hash;
    this.name = name;
    this.models = models;
    this.expiresAtMs = expiresAtMs;
    this.limits = limits;
    this.origin = origin;
    this.createdAtMs = stored.createdAtMs;
    this.graces = graces;
    this.lastUsedAtMs = lastUsedAtMs;
    this.#state = stored.state;
    this.#hasRules = stored.rules !== undefined;
    this.#fileHash = stored.fileHash;
    this.#rotatedFrom = stored.rotatedFrom;
    this.#lastStoredMs = stored.lastUsedAtMs;
  }

  state(nowMs: number): KeyState {
    const isOver = this.#state === 'active' && this.expiresAtMs !== null && this.expiresAtMs <= nowMs;
    return isOver ? 'expired' : this.#state;
  }

  /** The key as the database has it. */
  toStored(): StoredKey {
    const { id, prefix, hash, name, models, expiresAtMs, limits, createdAtMs } = this;
    return {
      id,
      rules: this.#hasRules ? { name, models, expiresAtMs, limits } : undefined,
      prefix,
      hash,
      fileHash: this.#fileHash,
      state: this.#state,
      createdAtMs,
      lastUsedAtMs: this.#lastStoredMs,
      rotatedFrom: this.#rotatedFrom,
    };
  }

  /** The key at a time. */
  toRecord(nowMs: number): KeyRecord {
    const { id, prefix, hash, name, models, expiresAtMs, limits, origin, createdAtMs, lastUsedAtMs, graces } = this;
    return {
      id,
      prefix,
      hash,
      name,
      models,
      expiresAtMs,
      limits,
      origin,
      state: this.state(nowMs),
      createdAtMs,
      ...(lastUsedAtMs !== undefined && { lastUsedAtMs }),
      ...(this.#rotatedFrom !== undefined && { rotatedFrom: this.#rotatedFrom }),
      graces,
    };
  }
}

/** A key with the fields that lists compare. A class, since there may be 50,000. */
export class EntryView implements KeyView {
  readonly #entry: KeyEntry;
  readonly #now: () => number;
  readonly #monthTokens: (id: string) => number;

  constructor(entry: KeyEntry, now: () => number, monthTokens: (id: string) => number) {
    this.#entry = entry;
    this.#now = now;
    this.#monthTokens = monthTokens;
  }

  get id(): string {
    return this.#entry.id;
  }

  get name(): string {
    return this.#entry.name;
  }

  get prefix(): string {
    return this.#entry.prefix;
  }

  get origin(): KeyRecord['origin'] {
    return this.#entry.origin;
  }

  get models(): KeyRecord['models'] {
    return this.#entry.models;
  }

  get createdAtMs(): number {
    return this.#entry.createdAtMs;
  }

  state(): KeyState {
    return this.#entry.state(this.#now());
  }

  lastUsedAtMs(): number {
    return this.#entry.lastUsedAtMs ?? 0;
  }

  monthTokens(): number {
    return this.#monthTokens(this.id);
  }
}
