import { createStore, type Store } from '../store.js';
import type { ApiAnswer, ApiFailure } from './api-answer.js';

/** A page of a list, as an API with cursors answers. */
export interface RowPage<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

/** The rows of a list as far as they came. */
export interface RowsState<T> {
  readonly rows: readonly T[];
  /** How many there are in all, where the API says so. */
  readonly total: number | undefined;
  /** `first`: nothing is there yet; `paused`: many pages in a row had no row, and the reader decides whether to go on. */
  readonly phase: 'first' | 'loading' | 'ready' | 'paused' | 'end' | 'failed' | 'full';
  readonly failure: ApiFailure | undefined;
}

/** A list that is read page by page. */
export interface PagedRows<T> extends Store<RowsState<T>> {
  /** Reads the next page, if none is being read. */
  more(): Promise<void>;
  /** Begins again. The rows stay until the first page came. */
  reload(): Promise<void>;
  /** Puts `row` in place of that for which `isSame` holds. */
  replace(row: T, isSame: (other: T) => boolean): void;
  /** Gives up what is being read. */
  stop(): void;
}

/** Pages without a row that are read one after the other before the reader is asked. */
const MAX_EMPTY_PAGES = 20;
/** Rows that a page of the browser holds; who needs more narrows the filters. */
export const MAX_ROWS = 20_000;

/** Reads a list by `load`, which takes the cursor of the page before. */
export function createPagedRows<T>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ApiAnswer<RowPage<T>>>,
): PagedRows<T> {
  const store = createStore<RowsState<T>>({ rows: [], total: undefined, phase: 'first', failure: undefined });
  let cursor: string | undefined;
  let controller = new AbortController();
  let isReading = false;

  const read = async (before: readonly T[]): Promise<void> => {
    const { signal } = controller;
    isReading = true;
    for (let page = 0; page < MAX_EMPTY_PAGES; page++) {
      const answer = await load(cursor, signal);
      if (signal.aborted) return;
      if (!answer.ok) return finish({ phase: 'failed', failure: answer.failure });
      const { data, next_cursor: next, total } = answer.value;
      const rows = [...before, ...data];
      cursor = next ?? undefined;
      const known = { rows, failure: undefined, total: total ?? store.get().total };
      if (next === null) return finish({ ...known, phase: 'end' });
      if (rows.length >= MAX_ROWS) return finish({ ...known, phase: 'full' });
      if (data.length > 0) return finish({ ...known, phase: 'ready' });
      store.set({ ...known, phase: 'loading' });
    }
    finish({ phase: 'paused' });
  };
  const finish = (change: Partial<RowsState<T>>): void => {
    isReading = false;
    store.set(change);
  };

  return {
    ...store,
    async more() {
      const { phase, rows } = store.get();
      if (isReading || phase === 'end' || phase === 'full') return;
      store.set({ phase: rows.length === 0 ? 'first' : 'loading', failure: undefined });
      await read(rows);
    },
    async reload() {
      controller.abort();
      controller = new AbortController();
      cursor = undefined;
      store.set({ phase: store.get().rows.length === 0 ? 'first' : 'loading', failure: undefined });
      await read([]);
    },
    replace(row, isSame) {
      store.set({ rows: store.get().rows.map((other) => (isSame(other) ? row : other)) });
    },
    stop: () => controller.abort(),
  };
}
