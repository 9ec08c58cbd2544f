import type { RowsState } from '../../data/index.js';
import type { Loaded } from '../page/use-load.js';

/** Converts a list that loads in one answer to rows of a table. */
export function wholeRows<T, U>(loaded: Loaded<T>, rowsOf: (value: T) => readonly U[]): RowsState<U> {
  const { value, failure } = loaded;
  if (value !== undefined) {
    const rows = rowsOf(value);
    return { rows, total: rows.length, phase: 'end', failure };
  }
  return { rows: [], total: undefined, phase: failure === undefined ? 'first' : 'failed', failure };
}
