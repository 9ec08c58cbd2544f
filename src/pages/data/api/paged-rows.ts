import { createStore, type Store } from '../store.js';
import type { ApiAnswer, ApiFailure } from './api-answer.js';

/** A page of a list from an API with cursors. */
export interface RowPage<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

/** The loaded rows of a list. */
export interface RowsState<T> {
  readonly rows: readonly T[];
  /** The total number of rows, if the API reports it. */
  readonly total: number | undefined;
  /**
   * `first`: no page has loaded; `paused`: many consecutive pages were empty, and the user decides whether to continue.
   */
  readonly phase: 'first' | 'loading' | 'ready' | 'paused' | 'end' | 'failed' | 'full';
  readonly failure: ApiFailure | undefined;
}

/** A list that loads page by page. */
export interface PagedRows<T> extends Store<RowsState<T>> {
  /** Loads the next page unless a page is loading. */
  more(): Promise<void>;
  /** Starts again. The rows stay until the first page has loaded. */
  reload(): Promise<void>;
  /** Replaces the row for which `isSame` holds by `row`. */
  replace(row: T, isSame: (other: T) => boolean): void;
  /** Cancels the current load. */
  stop(): void;
}

/** The most consecutive empty pages before the list asks the user. */
const MAX_EMPTY_PAGES = 20;
/** The most rows in the browser. For more, the user narrows the filters. */
export const MAX_ROWS = 20_000;

/** Creates a list that calls `load` with the cursor of the previous page. */
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
