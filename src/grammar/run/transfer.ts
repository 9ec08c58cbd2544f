import type { ParseTable } from './parse-table.js';

/** The parse state `state` of one table in another of the same grammar. */
export function transfer(state: number, from: ParseTable, to: ParseTable): number {
  const row = [from.canEnd(state) ? 1 : 0, ...from.configurations(state)];
  const found = new Set<number>();
  for (let i = 2; i < row.length; i += 2) found.add(row[i] as number);
  const { rows } = from.stacks;
  const read = (set: number): number[] => [...rows.data.subarray(rows.startOf(set), rows.endOf(set))];
  // The set grows while it is walked.
  for (const set of found) read(set).forEach((value, index) => index > 0 && index % 2 === 0 && found.add(value));
  const placeOf = new Map<number, number>();
  const renamed = (values: readonly number[]): number[] =>
    values.map((value, index) => (index > 0 && index % 2 === 0 ? (placeOf.get(value) ?? 0) : value));
  // What lies beneath was there first, and so has the smaller number.
  for (const set of [...found].toSorted((a, b) => a - b)) placeOf.set(set, to.stacks.add(renamed(read(set))));
  return to.add(renamed(row));
}
