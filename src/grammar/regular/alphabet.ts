import { SURROGATES, type CodePointRanges } from './code-points.js';

/**
 * Code points in classes: those of one class lead to the same states everywhere in an automaton. Interval `i` begins at
 * `starts[i]` and ends before the next one.
 */
export interface Alphabet {
  /** [intervals], ascending from 0. */
  readonly starts: Int32Array;
  /** [intervals]: the class of its code points; -1 for surrogates, which are no symbols. */
  readonly classes: Int32Array;
  readonly numClasses: number;
}

/** An alphabet, and for each set the classes that make it up. */
export interface ClassedSets {
  readonly alphabet: Alphabet;
  readonly classesOf: readonly (readonly number[])[];
}

/** The coarsest alphabet in which each of the sets is a union of classes. */
export function classify(sets: readonly CodePointRanges[]): ClassedSets {
  const surrogates = sets.length;
  const events: { at: number; set: number; isStart: boolean }[] = [];
  [...sets, SURROGATES].forEach((set, index) => {
    for (let i = 0; i < set.length; i += 2) {
      events.push({ at: set[i] as number, set: index, isStart: true });
      events.push({ at: (set[i + 1] as number) + 1, set: index, isStart: false });
    }
  });
  events.sort((a, b) => a.at - b.at);
  const classesOf: number[][] = sets.map(() => []);
  const byMembers = new Map<string, number>();
  const members = new Set<number>();
  const starts: number[] = [];
  const classes: number[] = [];
  const close = (at: number): void => {
    const found = members.has(surrogates) ? -1 : classOf(members, byMembers, classesOf);
    if (classes.at(-1) === found && starts.length > 0) return;
    starts.push(at);
    classes.push(found);
  };
  let at = 0;
  for (const event of events) {
    if (event.at > at) close(at);
    at = event.at;
    if (event.isStart) members.add(event.set);
    else members.delete(event.set);
  }
  if (at <= 0x10ffff) close(at);
  const alphabet = { starts: Int32Array.from(starts), classes: Int32Array.from(classes), numClasses: byMembers.size };
  return { alphabet, classesOf };
}

function classOf(members: ReadonlySet<number>, known: Map<string, number>, classesOf: readonly number[][]): number {
  const key = [...members].toSorted((a, b) => a - b).join();
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = known.size;
  known.set(key, made);
  for (const member of members) classesOf[member]?.push(made);
  return made;
}

/** The class of a code point; -1 for a surrogate. */
export function classAt({ starts, classes }: Alphabet, codePoint: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= codePoint) low = middle;
    else high = middle - 1;
  }
  return classes[low] as number;
}

/** The alphabet of two automata together: each of its classes is one class of `a` and one of `b`. */
export function refine(
  a: Alphabet,
  b: Alphabet,
): { alphabet: Alphabet; pairs: readonly (readonly [a: number, b: number])[] } {
  const known = new Map<number, number>();
  const pairs: [number, number][] = [];
  const starts: number[] = [];
  const classes: number[] = [];
  for (let i = 0, j = 0; i < a.starts.length && j < b.starts.length;) {
    const at = Math.max(a.starts[i] as number, b.starts[j] as number);
    const [left, right] = [a.classes[i] as number, b.classes[j] as number];
    const key = left * b.numClasses + right;
    const isSymbol = left >= 0 && right >= 0;
    const found = isSymbol ? (known.get(key) ?? pairs.push([left, right]) - 1) : -1;
    if (isSymbol) known.set(key, found);
    if (starts.length === 0 || classes.at(-1) !== found) {
      starts.push(at);
      classes.push(found);
    }
    const [nextLeft, nextRight] = [a.starts[i + 1] ?? Infinity, b.starts[j + 1] ?? Infinity];
    if (nextLeft <= nextRight) i++;
    if (nextRight <= nextLeft) j++;
  }
  const alphabet = { starts: Int32Array.from(starts), classes: Int32Array.from(classes), numClasses: pairs.length };
  return { alphabet, pairs };
}
