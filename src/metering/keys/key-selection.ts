// Lists of keys by filters and order, over all keys in memory. A page of 50,000 keys takes a few milliseconds: an order
// that depends on keys alone is cached until a key changes.
import type { KeyRecord, KeyState } from './key-record.js';

/** The orders of keys. `tokens`: usage of this month. */
export type KeySort = 'created' | 'name' | 'last_used' | 'tokens';

/** The filters and the order of a list of keys. */
export interface KeySelection {
  /** In names, ids and prefixes, in any case. */
  readonly search?: string;
  readonly state?: KeyState;
  readonly origin?: KeyRecord['origin'];
  /** Whether a key may use the requested model, by its list of models. */
  readonly allows?: (models: KeyRecord['models']) => boolean;
  readonly order: KeySort;
  readonly descending: boolean;
  readonly after?: KeyCursor;
  readonly limit: number;
}

/** The end of a page: the last key's value in the order, and its id. */
export interface KeyCursor {
  readonly value: string | number;
  readonly id: string;
}

/** A page of keys. */
export interface SelectedKeys {
  /** Their ids. */
  readonly ids: readonly string[];
  /** The number of keys that match the filters. */
  readonly total: number;
  readonly next: KeyCursor | undefined;
}

/** The fields of a key that filters and orders read. */
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
  readonly #sorted = new Map<KeySort, readonly KeyView[]>();

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
    // One more than the page shows whether another page follows.
    const first = new FirstKeys(limit + 1, descending);
    const isKept = order === 'created' || order === 'name';
    const views = isKept ? this.#inOrder(order) : this.#everyView();
    let total = 0;
    for (let i = 0; i < views.length; i++) {
      const view = views[descending ? views.length - 1 - i : i];
      if (view === undefined || !fits(view)) continue;
      total++;
      // In their order those behind a full page are behind the page.
      if (isKept && first.isFull) continue;
      const place = { value: valueOf(view, order), id: view.id };
      if (after === undefined || first.compare(place, after) > 0) first.add(place);
    }
    const page = first.places.slice(0, limit);
    return { ids: page.map(({ id }) => id), total, next: first.isFull ? page.at(-1) : undefined };
  }

  #everyView(): readonly KeyView[] {
    this.#all ??= this.#views();
    return this.#all;
  }

  /** Orders that change with a key alone. */
  #inOrder(order: 'created' | 'name'): readonly KeyView[] {
    const known = this.#sorted.get(order);
    if (known !== undefined) return known;
    const sorted = this.#everyView()
      .map((view) => ({ view, value: valueOf(view, order) }))
      .toSorted((a, b) => compareValues(a.value, b.value) || compareValues(a.view.id, b.view.id))
      .map(({ view }) => view);
    this.#sorted.set(order, sorted);
    return sorted;
  }
}

/** The first keys of an order, from keys in any order. Sorting all of 50,000 for one page takes 100 ms. */
class FirstKeys {
  /** In their order. */
  readonly places: KeyCursor[] = [];
  readonly #limit: number;
  readonly #sign: number;

  constructor(limit: number, descending: boolean) {
    this.#limit = limit;
    this.#sign = descending ? -1 : 1;
  }

  get isFull(): boolean {
    return this.places.length >= this.#limit;
  }

  /** Negative where `a` comes before `b`. */
  compare(a: KeyCursor, b: KeyCursor): number {
    return this.#sign * (compareValues(a.value, b.value) || compareValues(a.id, b.id));
  }

  add(place: KeyCursor): void {
    const last = this.places.at(-1);
    if (this.isFull && last !== undefined) {
      if (this.compare(place, last) >= 0) return;
      this.places.pop();
    }
    let [low, high] = [0, this.places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.places[middle];
      if (other !== undefined && this.compare(place, other) < 0) high = middle;
      else low = middle + 1;
    }
    this.places.splice(low, 0, place);
  }
}

function valueOf(view: KeyView, order: KeySort): string | number {
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
