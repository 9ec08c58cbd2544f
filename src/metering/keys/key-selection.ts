// Lists of keys by filters and order, over all keys in memory: with 50,000 of them a page takes a few milliseconds, since an
// order that does not change by itself is kept until a key does.
import type { KeyRecord, KeyState } from './key-record.js';

/** By what keys are ordered. `tokens`: those of this month. */
export type KeyOrder = 'created' | 'name' | 'last_used' | 'tokens';

/** Which keys are asked for, and in which order. */
export interface KeySelection {
  /** In names, ids and prefixes, in any case. */
  readonly search?: string;
  readonly state?: KeyState;
  readonly origin?: KeyRecord['origin'];
  /** Whether a key may use what is asked for, by its list of models. */
  readonly allows?: (models: KeyRecord['models']) => boolean;
  readonly order: KeyOrder;
  readonly descending: boolean;
  readonly after?: KeyPlace;
  readonly limit: number;
}

/** Where a page ended: what the last key was ordered by, and its id. */
export interface KeyPlace {
  readonly value: string | number;
  readonly id: string;
}

/** A page of keys. */
export interface SelectedKeys {
  /** Their ids. */
  readonly ids: readonly string[];
  /** Of all that the filters leave. */
  readonly total: number;
  readonly next: KeyPlace | undefined;
}

/** What is looked at of a key. */
export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly origin: KeyRecord['origin'];
  readonly models: KeyRecord['models'];
  readonly createdAtMs: number;
  state(): KeyState;
  lastUsedAtMs(): number;
  monthTokens(): number;
}

/** Chooses among the keys of `views`, which is asked again after `forget`. */
export class KeySelector {
  readonly #views: () => readonly KeyView[];
  #all: readonly KeyView[] | undefined;
  readonly #sorted = new Map<KeyOrder, readonly KeyView[]>();

  constructor(views: () => readonly KeyView[]) {
    this.#views = views;
  }

  /** A key came, changed or went. */
  forget(): void {
    this.#all = undefined;
    this.#sorted.clear();
  }

  /** A page. */
  select({ search, state, origin, allows, order, descending, after, limit }: KeySelection): SelectedKeys {
    const text = search?.toLowerCase();
    const fits = (view: KeyView): boolean =>
      (origin === undefined || view.origin === origin) &&
      (text === undefined || [view.name, view.id, view.prefix].some((each) => each.toLowerCase().includes(text))) &&
      (allows === undefined || allows(view.models)) &&
      (state === undefined || view.state() === state);
    const isBehind = (view: KeyView): boolean => {
      if (after === undefined) return true;
      const sign = compareValues(valueOf(view, order), after.value) || compareValues(view.id, after.id);
      return descending ? sign < 0 : sign > 0;
    };
    const sorted = this.#inOrder(order);
    const found: KeyView[] = [];
    let total = 0;
    for (let i = 0; i < sorted.length; i++) {
      const view = sorted[descending ? sorted.length - 1 - i : i];
      if (view === undefined || !fits(view)) continue;
      total++;
      if (found.length <= limit && isBehind(view)) found.push(view);
    }
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const isMore = found.length > limit && last !== undefined;
    return {
      ids: page.map(({ id }) => id),
      total,
      next: isMore ? { value: valueOf(last, order), id: last.id } : undefined,
    };
  }

  #inOrder(order: KeyOrder): readonly KeyView[] {
    this.#all ??= this.#views();
    const known = this.#sorted.get(order);
    if (known !== undefined) return known;
    const sorted = this.#all
      .map((view) => ({ view, value: valueOf(view, order) }))
      .toSorted((a, b) => compareValues(a.value, b.value) || compareValues(a.view.id, b.view.id))
      .map(({ view }) => view);
    // The others change with each request.
    if (order === 'created' || order === 'name') this.#sorted.set(order, sorted);
    return sorted;
  }
}

function valueOf(view: KeyView, order: KeyOrder): string | number {
  switch (order) {
    case 'created':
      return view.createdAtMs;
    case 'name':
      return view.name.toLowerCase();
    case 'last_used':
      return view.lastUsedAtMs();
    case 'tokens':
      return view.monthTokens();
  }
}

function compareValues(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
