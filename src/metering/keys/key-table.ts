import { integerOf, textOf, type Row, type Store } from '../../database/index.js';
import type { Budget, KeyDefinition, KeyLimits, KeyState } from './key-record.js';
import { WINDOWS, type Window } from '../window.js';

/** A key as an operator defines it, without its secret. */
export type KeyRules = Pick<KeyDefinition, 'name' | 'models' | 'expiresAtMs' | 'limits'>;

/** A key as the database has it. */
export interface StoredKey {
  readonly id: string;
  /** Undefined for a key of the file, where it is written. */
  readonly rules: KeyRules | undefined;
  readonly prefix: string;
  readonly hash: string;
  /** The hash in the file when this row was written. */
  readonly fileHash: string | undefined;
  readonly state: Exclude<KeyState, 'expired'>;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | undefined;
  readonly rotatedFrom: string | undefined;
}

/** A hash that is still taken for a while. */
export interface StoredGrace {
  readonly keyId: string;
  readonly hash: string;
  readonly untilMs: number;
}

/** Keys and their states. */
export interface KeyTable {
  /** In the order of their ids, read in parts. */
  all(): Iterable<StoredKey>;
  graces(): readonly StoredGrace[];
  /** Writes a key; it replaces its earlier row. */
  put(key: StoredKey): void;
  setLastUsed(id: string, atMs: number): void;
  putGrace(grace: StoredGrace): void;
  removeGracesOf(keyId: string): void;
  removeGracesBefore(atMs: number): void;
}

/** Keys that are read at once. */
const PART = 1_000;

/** Compiles the statements of the tables of keys. */
export function openKeyTable(store: Store): KeyTable {
  const part = store.prepare('SELECT * FROM virtual_key WHERE id > ?1 ORDER BY id LIMIT ?2');
  const graces = store.prepare('SELECT * FROM key_grace ORDER BY key_id, until_ms');
  const put = store.prepare(
    `INSERT OR REPLACE INTO virtual_key
       (id, definition, prefix, hash, file_hash, state, created_at_ms, last_used_at_ms, rotated_from)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
  );
  const setLastUsed = store.prepare('UPDATE virtual_key SET last_used_at_ms = ?2 WHERE id = ?1');
  const putGrace = store.prepare('INSERT OR REPLACE INTO key_grace (key_id, hash, until_ms) VALUES (?1, ?2, ?3)');
  const removeGraces = store.prepare('DELETE FROM key_grace WHERE key_id = ?1');
  const removeOld = store.prepare('DELETE FROM key_grace WHERE until_ms < ?1');
  return {
    *all() {
      const rules = new SharedRules();
      for (let after = ''; ;) {
        const rows = part.all(after, PART);
        for (const row of rows) yield toStoredKey(row, rules);
        const last = rows.at(-1);
        if (last === undefined || rows.length < PART) return;
        after = textOf(last, 'id') ?? '';
      }
    },
    graces: () =>
      graces.all().map((row) => ({
        keyId: textOf(row, 'key_id') ?? '',
        hash: textOf(row, 'hash') ?? '',
        untilMs: integerOf(row, 'until_ms'),
      })),
    put({ id, rules, prefix, hash, fileHash, state, createdAtMs, lastUsedAtMs, rotatedFrom }) {
      const written = rules === undefined ? null : writeRules(rules);
      const optional = [lastUsedAtMs ?? null, rotatedFrom ?? null] as const;
      put.run(id, written, prefix, hash, fileHash ?? null, state, createdAtMs, ...optional);
    },
    setLastUsed: (id, atMs) => setLastUsed.run(id, atMs),
    putGrace: ({ keyId, hash, untilMs }) => putGrace.run(keyId, hash, untilMs),
    removeGracesOf: (keyId) => removeGraces.run(keyId),
    removeGracesBefore: (atMs) => removeOld.run(atMs),
  };
}

function toStoredKey(row: Row, rules: SharedRules): StoredKey {
  const definition = textOf(row, 'definition');
  const state = textOf(row, 'state');
  const lastUsed = row['last_used_at_ms'];
  return {
    id: textOf(row, 'id') ?? '',
    rules: definition === undefined ? undefined : rules.share(readRules(definition)),
    prefix: textOf(row, 'prefix') ?? '',
    hash: textOf(row, 'hash') ?? '',
    fileHash: textOf(row, 'file_hash'),
    // The table lets no other word in.
    state: state === 'active' ? 'active' : state === 'disabled' ? 'disabled' : 'revoked',
    createdAtMs: integerOf(row, 'created_at_ms'),
    lastUsedAtMs: lastUsed === null ? undefined : Number(lastUsed),
    rotatedFrom: textOf(row, 'rotated_from'),
  };
}

/** Lists of models and limits that are kept to be shared: more kinds of them share little. */
const MAX_SHARED = 10_000;

/** Many keys have the same models and limits: one object for all of them. */
class SharedRules {
  readonly #known = new Map<string, KeyRules['models'] | KeyLimits>();

  share({ models, limits, ...rules }: KeyRules): KeyRules {
    return { ...rules, models: this.#find(models), limits: this.#find(limits) };
  }

  #find<T extends KeyRules['models'] | KeyLimits>(value: T): T {
    const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));
    const known = this.#known.get(text);
    if (known !== undefined) return known as T;
    if (this.#known.size < MAX_SHARED) this.#known.set(text, value);
    return value;
  }
}

/** JSON has no bigint: amounts are decimal texts. */
interface WrittenBudget {
  readonly tokens?: number;
  readonly amountMicro?: string;
  readonly currency?: string;
  readonly window: string;
}

type WrittenRules = Omit<KeyRules, 'limits'> & {
  readonly limits: Omit<KeyLimits, 'budgets'> & { readonly budgets: readonly WrittenBudget[] };
};

function writeRules({ limits, ...rules }: KeyRules): string {
  const budgets = limits.budgets.map((budget): WrittenBudget =>
    'tokens' in budget ? budget : { ...budget, amountMicro: String(budget.amountMicro) },
  );
  const written: WrittenRules = { ...rules, limits: { ...limits, budgets } };
  return JSON.stringify(written);
}

/** Reads the rules that `writeRules` wrote: this program alone writes the table. */
function readRules(text: string): KeyRules {
  const { limits, ...rules } = JSON.parse(text) as WrittenRules;
  return { ...rules, limits: { ...limits, budgets: limits.budgets.map(readBudget) } };
}

function readBudget({ tokens, amountMicro = '0', currency = '', window }: WrittenBudget): Budget {
  const known: Window = WINDOWS.find((name) => name === window) ?? 'total';
  return tokens === undefined
    ? { amountMicro: BigInt(amountMicro), currency, window: known }
    : { tokens, window: known };
}
