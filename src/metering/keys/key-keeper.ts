// Changes of keys: each is in the audit log before it is made, and in the database before it is in force.

import { invalidValue } from '../../base/index.js';
import { compareFacts, keyFacts } from '../audit/audit-changes.js';
import type { AuditActor } from '../audit/audit-entry.js';
import type { AuditIntent } from '../audit/audit-intents.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { WriteCommitter } from '../database/committer.js';
import { MAX_GRACE_MS, MAX_METER_KEYS } from '../limits.js';
import { checkKeyRules } from './check-rules.js';
import { createKeyId } from './key-id.js';
import { gracesByKey, type KeyList } from './key-list.js';
import type { Grace, KeyDefinition, KeyRecord, KeyState } from './key-record.js';
import { createKeySecret } from './key-secret.js';
import type { KeyRules, KeyTable, StoredKey } from './key-table.js';

/** Of nearly every key. */
const NO_GRACES: readonly Grace[] = [];

/** A key and its secret, which is shown once. */
export interface NewVirtualKey {
  readonly record: KeyRecord;
  readonly secret: string;
}

/** Options of a keeper. */
export interface KeyKeeperOptions {
  readonly list: KeyList;
  readonly table: KeyTable;
  readonly committer: WriteCommitter;
  readonly audit: AuditLog;
  readonly now: () => number;
  /** Called with each key that is new or whose limits may have changed. */
  readonly onLimits: (record: KeyDefinition) => void;
}

/** Makes the changes of keys, one after the other. */
export class KeyKeeper {
  readonly #options: KeyKeeperOptions;
  /** The rows of the file's keys, also of keys that left the file. */
  readonly #storedOfFile = new Map<string, StoredKey>();
  readonly #graces: Map<string, readonly Grace[]>;
  #last: Promise<unknown> = Promise.resolve();

  /** Reads the keys of the database. */
  constructor(options: KeyKeeperOptions) {
    this.#options = options;
    this.#graces = new Map(gracesByKey(options.table.graces()));
    for (const stored of options.table.all()) {
      if (stored.rules === undefined) this.#storedOfFile.set(stored.id, stored);
      else this.#put(stored, toDefinition(stored, stored.rules), 'database', this.#graces.get(stored.id));
    }
  }

  /** The keys of the file are these from now on. */
  setFileKeys(definitions: readonly KeyDefinition[]): void {
    const { list } = this.#options;
    const ids = new Set(definitions.map(({ id }) => id));
    for (const id of list.idsOf('file')) if (!ids.has(id)) list.remove(id);
    for (const definition of definitions) this.#setFileKey(definition);
  }

  /** A new key of the database. Errors: `invalid_value`, `audit_unavailable`, `metering_unavailable`. */
  createKey(rules: KeyRules, by: AuditActor): Promise<NewVirtualKey> {
    const { list, now } = this.#options;
    return this.#inTurn(async () => {
      checkKeyRules(rules);
      if (list.size >= MAX_METER_KEYS) throw invalidValue('keys', list.size, `fewer than ${MAX_METER_KEYS}`);
      const { secret, prefix, hash } = createKeySecret('gwk');
      const createdAtMs = Math.floor(now());
      const stored: StoredKey = {
        id: createKeyId(createdAtMs),
        rules,
        prefix,
        hash,
        fileHash: undefined,
        state: 'active',
        createdAtMs,
        lastUsedAtMs: undefined,
        rotatedFrom: undefined,
      };
      const diff = { name: rules.name, prefix, before: null, after: keyFacts(rules) };
      await this.#change({ actor: by, action: 'key.create', target: `key:${stored.id}`, diff }, stored);
      this.#put(stored, toDefinition(stored, rules), 'database', []);
      return { record: list.record(stored.id), secret };
    });
  }

  /**
   * Changes the limits of a key of the database. Errors: `key_unknown`, `invalid_value`, `audit_unavailable`,
   * `metering_unavailable`.
   */
  updateKey(id: string, change: Partial<KeyRules>, by: AuditActor): Promise<KeyRecord> {
    const { list } = this.#options;
    return this.#inTurn(async () => {
      const record = list.record(id);
      const before = list.stored(id);
      if (before.rules === undefined)
        throw invalidValue('id', id, 'a key of the database; one of gateway.yaml is changed there');
      const rules: KeyRules = { ...before.rules, ...change };
      checkKeyRules(rules);
      const stored: StoredKey = { ...before, rules };
      const diff = { name: record.name, ...compareFacts(keyFacts(before.rules), keyFacts(rules)) };
      await this.#change({ actor: by, action: 'key.update', target: `key:${id}`, diff }, stored);
      this.#put(stored, toDefinition(stored, rules), record.origin, record.graces);
      return list.record(id);
    });
  }

  /**
   * Gives a key a new secret. The one before stays valid for `graceMs`; then its streams end. Without a grace every
   * older secret of the key ends at once, also one in the grace of an earlier rotation. Errors: `key_unknown`,
   * `invalid_value`, `audit_unavailable`, `metering_unavailable`.
   */
  rotateKey(id: string, graceMs: number, by: AuditActor): Promise<NewVirtualKey> {
    const { list, table, now } = this.#options;
    return this.#inTurn(async () => {
      if (!Number.isInteger(graceMs) || graceMs < 0 || graceMs > MAX_GRACE_MS) {
        throw invalidValue('graceMs', graceMs, `a whole number from 0 to ${MAX_GRACE_MS}`);
      }
      const record = list.record(id);
      const before = list.stored(id);
      const { secret, prefix, hash } = createKeySecret('gwk');
      const stored: StoredKey = { ...before, prefix, hash, rotatedFrom: before.prefix };
      const grace: Grace = { hash: before.hash, untilMs: Math.floor(now()) + graceMs };
      const change = { before: { prefix: before.prefix }, after: { prefix } };
      // With no grace: how many secrets of earlier rotations end with the one before.
      const ended = graceMs === 0 ? record.graces.length + 1 : 0;
      const diff = { name: record.name, ...change, grace_s: graceMs / 1000, ended_secrets: ended };
      await this.#change({ actor: by, action: 'key.rotate', target: `key:${id}`, diff }, stored, () => {
        if (graceMs > 0) table.putGrace({ keyId: id, ...grace });
        else table.removeGracesOf(id);
      });
      this.#put(stored, record, record.origin, graceMs > 0 ? [...record.graces, grace] : []);
      if (graceMs === 0) for (const { hash: older } of [...record.graces, grace]) list.tellEnd(id, older);
      return { record: list.record(id), secret };
    });
  }

  /**
   * Lets a key in again, or no longer; its streams end then. A revoked key stays revoked, and its graces are over.
   * Errors: `key_unknown`, `invalid_value`, `audit_unavailable`, `metering_unavailable`.
   */
  setKeyState(id: string, state: Exclude<KeyState, 'expired'>, by: AuditActor): Promise<KeyRecord> {
    const { list, table } = this.#options;
    return this.#inTurn(async () => {
      const record = list.record(id);
      const before = list.stored(id);
      if (before.state === 'revoked' && state !== 'revoked') {
        throw invalidValue('state', state, 'revoked, since a revoked key is never used again; make a new one');
      }
      const stored: StoredKey = { ...before, state };
      const diff = { name: record.name, before: { state: before.state }, after: { state } };
      await this.#change({ actor: by, action: `key.${state}`, target: `key:${id}`, diff }, stored, () => {
        if (state === 'revoked') table.removeGracesOf(id);
      });
      this.#put(stored, record, record.origin, state === 'revoked' ? [] : record.graces);
      if (state !== 'active') list.tellEnd(id);
      return list.record(id);
    });
  }

  #setFileKey(definition: KeyDefinition): void {
    const { list, table, committer, now } = this.#options;
    const { id, prefix, hash } = definition;
    if (list.hasOfDatabase(id)) return;
    const known = this.#storedOfFile.get(id);
    // A later edit of the file holds, also over a rotation.
    const isSame = known !== undefined && known.fileHash === hash;
    const stored: StoredKey = isSame
      ? known
      : {
          id,
          rules: undefined,
          prefix,
          hash,
          fileHash: hash,
          state: known?.state ?? 'active',
          createdAtMs: known?.createdAtMs ?? Math.floor(now()),
          lastUsedAtMs: known?.lastUsedAtMs,
          rotatedFrom: known?.rotatedFrom,
        };
    if (!this.#put(stored, definition, 'file', this.#graces.get(id))) return;
    if (isSame) return;
    committer.add({ run: () => table.put(stored) });
    if (known !== undefined && known.hash !== hash) list.tellEnd(id, known.hash);
  }

  /** Whether the key is in force: not when another one has its hash. */
  #put(stored: StoredKey, definition: KeyDefinition, origin: KeyRecord['origin'], graces = NO_GRACES): boolean {
    if (!this.#options.list.put(stored, definition, origin, graces)) return false;
    if (stored.rules === undefined) this.#storedOfFile.set(stored.id, stored);
    if (graces.length > 0) this.#graces.set(stored.id, graces);
    else this.#graces.delete(stored.id);
    this.#options.onLimits(definition);
    return true;
  }

  /** A change without an audit entry is not made. */
  #change(event: AuditIntent, stored: StoredKey, more: () => void = () => {}): Promise<void> {
    const { audit, committer, table } = this.#options;
    return audit.during(event, () =>
      committer.write(() => {
        table.put(stored);
        more();
      }),
    );
  }

  /** Changes run one after the other: each sees the result of the one before. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(change);
    this.#last = turn.catch((error: unknown) => error);
    return turn;
  }
}

function toDefinition({ id, prefix, hash }: StoredKey, rules: KeyRules): KeyDefinition {
  return { id, prefix, hash, ...rules };
}
