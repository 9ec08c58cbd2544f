import type { ParseTable } from './parse-table.js';

/**
 * A parse state as words that another table of the same grammar reads, on whatever thread: how many sets of stacks there
 * are, each with its length before it, then the row of the state. Sets are named by their place among these.
 */
export function writeState(table: ParseTable, state: number): Int32Array<ArrayBuffer> {
  const row = [table.canEnd(state) ? 1 : 0, ...table.configurations(state)];
  const found = new Set<number>();
  for (let i = 2; i < row.length; i += 2) found.add(row[i] as number);
  const { rows } = table.stacks;
  const read = (set: number): Int32Array => rows.data.subarray(rows.startOf(set), rows.endOf(set));
  // The set grows while it is walked.
  for (const set of found) read(set).forEach((value, index) => index > 0 && index % 2 === 0 && found.add(value));
  // A set beneath another was added first, and so has the smaller number.
  const sets = [...found].toSorted((a, b) => a - b);
  const placeOf = new Map(sets.map((set, place) => [set, place]));
  const words: number[] = [sets.length];
  const write = (values: ArrayLike<number>): void => {
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      words.push(i > 0 && i % 2 === 0 ? (placeOf.get(value) ?? 0) : value);
    }
  };
  for (const set of sets) {
    words.push(rows.endOf(set) - rows.startOf(set));
    write(read(set));
  }
  write(row);
  return Int32Array.from(words);
}

/** The number in `table` of a state that `writeState` wrote of another table of the same grammar. */
export function readState(table: ParseTable, words: Int32Array): number {
  const sets: number[] = [];
  const read = (start: number, end: number): number[] =>
    Array.from(words.subarray(start, end), (word, i) => (i > 0 && i % 2 === 0 ? (sets[word] ?? 0) : word));
  let at = 1;
  while (sets.length < (words[0] as number)) {
    const end = at + 1 + (words[at] as number);
    sets.push(table.stacks.add(read(at + 1, end)));
    at = end;
  }
  return table.add(read(at, words.length));
}
