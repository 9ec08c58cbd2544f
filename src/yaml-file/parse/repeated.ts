import { suggestion } from '../../base/index.js';
import { MAX_PROBLEMS } from '../limits.js';
import type { Report } from './partly.js';

/** Refuses entries of a list that have the same value as one before them. */
export function refuseRepeated<Entry>(
  list: string,
  name: string,
  entries: readonly (Entry | undefined)[],
  valueOf: (entry: Entry) => string | undefined,
  fail: Report,
): void {
  const seen = new Map<string, number>();
  entries.forEach((entry, i) => {
    const value = entry === undefined ? undefined : valueOf(entry);
    if (value === undefined) return;
    const first = seen.get(value);
    if (first === undefined) seen.set(value, i);
    else fail(`${list}[${i}].${name}`, `is that of ${list}[${first}] too; each has its own`);
  });
}

/** Refuses a text that repeats an earlier one of its list. */
export function refuseRepeatedTexts(list: string, texts: readonly (string | undefined)[], fail: Report): void {
  texts.forEach((text, i) => {
    const first = texts.indexOf(text);
    if (text !== undefined && first < i) fail(`${list}[${i}]`, `is ${list}[${first}] again; take one out`);
  });
}

/** ` Did you mean X?` for the first words that are asked: thousands would take minutes, and no reader needs them. */
export function createSuggester(known: readonly string[], most: number = MAX_PROBLEMS): (word: string) => string {
  let left = most;
  return (word) => (left-- > 0 ? suggestion(word, known) : '');
}
