import type { Grace, KeyDefinition, KeyRecord, KeyState } from './key-record.js';
import type { KeyView } from './key-selection.js';
import type { StoredKey } from './key-table.js';

/** A key in memory. */
export interface KeyEntry {
  readonly definition: KeyDefinition;
  readonly origin: KeyRecord['origin'];
  readonly stored: StoredKey;
  graces: readonly Grace[];
  lastUsedAtMs: number | undefined;
}

/** A key as lists look at it. A class, since there are 50,000 of them. */
export class EntryView implements KeyView {
  readonly #entry: KeyEntry;
  readonly #stateOf: (entry: KeyEntry) => KeyState;
  readonly #monthTokens: (id: string) => number;

  constructor(entry: KeyEntry, stateOf: (entry: KeyEntry) => KeyState, monthTokens: (id: string) => number) {
    this.#entry = entry;
    this.#stateOf = stateOf;
    this.#monthTokens = monthTokens;
  }

  get id(): string {
    return this.#entry.definition.id;
  }

  get name(): string {
    return this.#entry.definition.name;
  }

  get prefix(): string {
    return this.#entry.definition.prefix;
  }

  get origin(): KeyRecord['origin'] {
    return this.#entry.origin;
  }

  get models(): KeyRecord['models'] {
    return this.#entry.definition.models;
  }

  get createdAtMs(): number {
    return this.#entry.stored.createdAtMs;
  }

  state(): KeyState {
    return this.#stateOf(this.#entry);
  }

  lastUsedAtMs(): number {
    return this.#entry.lastUsedAtMs ?? 0;
  }

  monthTokens(): number {
    return this.#monthTokens(this.id);
  }
}
