import type { NewRow } from './database.js';

/** The columns of rows that all have the same. */
export function columnsOf<C extends string>(rows: readonly NewRow<C>[]): readonly C[] {
  return Object.keys(rows[0] ?? {}) as C[];
}
