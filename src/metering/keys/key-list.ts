// All keys in memory, of the file and of the database: authentication reads them.

import { AppError, type LogEntry } from '../../base/index.js';
import type { Grace, KeyDefinition, KeyRecord } from './key-record.js';
import { isSameHash, parseKeySecret } from './key-secret.js';
import { EntryView, KeyEntry } from './key-view.js';
import type { KeyView } from './key-selection.js';
import type { StoredGrace, StoredKey } from './key-table.js';

/** Of nearly every key. */
const NO_GRACES: readonly Grace[] = [];

/** Called when a key ended: the whole key, or only requests by `hash`, an older secret of it. */
export type KeyEndListener = (keyId: string, hash?: string) => void;

/** The key of a request. */
export interface AuthenticatedKey extends KeyRecord {
  /** The hash of the secret that was brought: the key's own, or one in its grace. */
  readonly usedHash: string;
}

/** The keys of a meter. */
export class KeyList {
  readonly #now: () => number;
  readonly #log: (entry: LogEntry) => void;
  readonly #entries = new Map<string, KeyEntry>();
  readonly #idByHash = new Map<string, string>();
  readonly #listeners = new Set<KeyEndListener>();
  readonly #changeListeners = new Set<() => void>();
  /** Keys whose last use is not written. */
  readonly #used = new Set<string>();
  /** Keys whose expiry was reported. */
  readonly #expired = new Set<string>();
  #nextEndMs = -Infinity;
  #lastTickMs = -Infinity;

  constructor(now: () => number, log: (entry: LogEntry) => void) {
    this.#now = now;
    this.#log = log;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Calls `listener` when a key ends. The returned function ends that. */
  onEnded(listener: KeyEndListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` when a key came, changed or went. The returned function ends that. */
  onChanged(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Every key now. */
  records(): readonly KeyRecord[] {
    const now = this.#now();
    return Array.from(this.#entries.values(), (entry) => entry.toRecord(now));
  }

  /** Every key with the fields that lists compare. `monthTokens`: usage of a key in this month. */
  views(monthTokens: (id: string) => number): readonly KeyView[] {
    return Array.from(this.#entries.values(), (entry) => new EntryView(entry, this.#now, monthTokens));
  }

  counts(): { readonly total: number; readonly active: number } {
    const now = this.#now();
    let active = 0;
    for (const entry of this.#entries.values()) if (entry.state(now) === 'active') active++;
    return { total: this.#entries.size, active };
  }

  /** The ids of the keys of an origin. */
  idsOf(origin: KeyRecord['origin']): readonly string[] {
    return Array.from(this.#entries).flatMap(([id, entry]) => (entry.origin === origin ? [id] : []));
  }

  /** The keys that were used since this was asked last, and when. */
  takeUsed(): readonly (readonly [id: string, atMs: number])[] {
    const used = [...this.#used].flatMap((id) => {
      const atMs = this.#entries.get(id)?.lastUsedAtMs;
      return atMs === undefined ? [] : [[id, atMs] as const];
    });
    this.#used.clear();
    return used;
  }

  /** A key now, if it exists. */
  find(id: string): KeyRecord | undefined {
    const entry = this.#entries.get(id);
    return entry?.toRecord(this.#now());
  }

  /** A key now. Errors: `key_unknown`. */
  record(id: string): KeyRecord {
    return this.#entry(id).toRecord(this.#now());
  }

  /** Whether the database has a key of this id; reported, since a key of the file should not share it. */
  hasOfDatabase(id: string): boolean {
    if (this.#entries.get(id)?.origin !== 'database') return false;
    this.#log({ event: 'key ignored', key_id: id, reason: 'a key of the database has its id' });
    return true;
  }

  /** A key as the database has it. Errors: `key_unknown`. */
  stored(id: string): StoredKey {
    return this.#entry(id).toStored();
  }

  /** Notes that a key is used now. Errors: as below. */
  use(id: string): void {
    this.requireActive(id);
    this.#entry(id).lastUsedAtMs = this.#now();
    this.#used.add(id);
  }

  /** The key of a request, active now. Errors: `invalid_api_key`, `expired_key`. */
  requireActive(id: string): KeyRecord {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw invalidKey('unknown');
    const record = entry.toRecord(this.#now());
    if (record.state === 'expired') throw expiredKey(id, 'expired');
    if (record.state !== 'active') throw invalidKey(record.state, id);
    return record;
  }

  /**
   * The key that `secret` is. Looks nothing up in the database. Errors: `missing_api_key`, `invalid_api_key`, `expired_key`.
   */
  authenticate(secret: string): AuthenticatedKey {
    if (secret === '') {
      const message = "there is no key; send it as 'Authorization: Bearer gwk_…' or as 'x-api-key: gwk_…'";
      throw new AppError('missing_api_key', message);
    }
    const parsed = parseKeySecret(secret);
    if (parsed?.kind !== 'gwk') throw invalidKey('malformed');
    const { hash } = parsed;
    const id = this.#idByHash.get(hash);
    const entry = id === undefined ? undefined : this.#entries.get(id);
    if (entry === undefined) throw invalidKey('unknown');
    const now = this.#now();
    const isOwn = isSameHash(entry.hash, hash);
    const grace = isOwn ? undefined : entry.graces.find((one) => isSameHash(one.hash, hash));
    if (!isOwn && grace === undefined) throw invalidKey('unknown');
    this.requireActive(entry.id);
    if (grace !== undefined && grace.untilMs <= now) throw expiredKey(entry.id, 'rotated');
    entry.lastUsedAtMs = now;
    this.#used.add(entry.id);
    return { ...entry.toRecord(now), usedHash: hash };
  }

  /** Adds a key, or replaces the one with its id. Absent `graces`: the existing ones. */
  put(stored: StoredKey, definition: KeyDefinition, origin: KeyRecord['origin'], graces?: readonly Grace[]): boolean {
    const before = this.#entries.get(stored.id);
    const owner = this.#idByHash.get(stored.hash);
    if (owner !== undefined && owner !== stored.id) {
      this.#log({ event: 'key ignored', key_id: stored.id, reason: 'another key has its hash', other: owner });
      return false;
    }
    const kept = graces ?? before?.graces ?? NO_GRACES;
    if (before !== undefined) this.#forgetHashes(before);
    const lastUsedAtMs = before?.lastUsedAtMs ?? stored.lastUsedAtMs;
    this.#entries.set(stored.id, new KeyEntry(stored, definition, origin, kept, lastUsedAtMs));
    for (const hash of [stored.hash, ...kept.map((grace) => grace.hash)]) this.#idByHash.set(hash, stored.id);
    this.#nextEndMs = -Infinity;
    this.#tellChange();
    return true;
  }

  /** Removes a key that left the file, and reports its end. */
  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#forgetHashes(entry);
    this.#entries.delete(id);
    this.#expired.delete(id);
    this.#tellChange();
    this.tellEnd(id);
  }

  /** Tells that a key ended, or one of its secrets. */
  tellEnd(id: string, hash?: string): void {
    for (const listener of this.#listeners) {
      if (hash === undefined) listener(id);
      else listener(id, hash);
    }
  }

  /** Reports keys and graces that ended by the time. Cheap while none ends. */
  tick(): void {
    const now = this.#now();
    const isBack = now < this.#lastTickMs;
    this.#lastTickMs = now;
    if (now < this.#nextEndMs && !isBack) return;
    this.#nextEndMs = Infinity;
    for (const [id, entry] of this.#entries) this.#endByTime(id, entry, now);
  }

  #endByTime(id: string, entry: KeyEntry, now: number): void {
    const { expiresAtMs } = entry;
    if (expiresAtMs === null || expiresAtMs > now) {
      this.#expired.delete(id);
      this.#nextEndMs = Math.min(this.#nextEndMs, expiresAtMs ?? Infinity);
    } else if (!this.#expired.has(id)) {
      this.#expired.add(id);
      this.tellEnd(id);
    }
    if (entry.graces.length === 0) return;
    const over = entry.graces.filter(({ untilMs }) => untilMs <= now);
    entry.graces = entry.graces.filter(({ untilMs }) => untilMs > now);
    for (const { untilMs } of entry.graces) this.#nextEndMs = Math.min(this.#nextEndMs, untilMs);
    for (const { hash } of over) {
      this.#idByHash.delete(hash);
      this.tellEnd(id, hash);
    }
  }

  #entry(id: string): KeyEntry {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry;
    throw new AppError('key_unknown', `there is no key ${id.slice(0, 64)}; 'keys list' shows those that are there`, {
      key_id: id.slice(0, 64),
    });
  }

  #tellChange(): void {
    for (const listener of this.#changeListeners) listener();
  }

  #forgetHashes({ hash: own, graces }: KeyEntry): void {
    for (const hash of [own, ...graces.map((grace) => grace.hash)]) this.#idByHash.delete(hash);
  }
}

/** The graces of each key. */
export function gracesByKey(graces: readonly StoredGrace[]): ReadonlyMap<string, readonly Grace[]> {
  const found = new Map<string, Grace[]>();
  for (const { keyId, hash, untilMs } of graces) {
    const list = found.get(keyId) ?? [];
    list.push({ hash, untilMs });
    found.set(keyId, list);
  }
  return found;
}

function invalidKey(reason: string, keyId?: string): AppError {
  const message = 'this key is not valid; check it, or ask the operator of this gateway for one';
  return new AppError('invalid_api_key', message, { reason, ...(keyId !== undefined && { key_id: keyId }) });
}

function expiredKey(keyId: string, reason: string): AppError {
  const message = 'this key has expired; ask the operator of this gateway for a new one';
  return new AppError('expired_key', message, { reason, key_id: keyId });
}
