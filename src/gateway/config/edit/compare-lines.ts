/** Differences that are looked for; beyond that all counts as replaced. Time and memory grow with the square. */
const MAX_EDITS = 1_000;

/** One step from one list of lines to another: a line that stays, is taken out, or is put in. */
export interface LineStep {
  readonly kind: ' ' | '-' | '+';
  readonly i: number;
  readonly j: number;
}

/**
 * The steps from `old` to `now`: as few changes as there can be, within `MAX_EDITS`. Source: E. W. Myers, An O(ND) Difference
 * Algorithm, 1986.
 */
export function compareLines(old: readonly string[], now: readonly string[]): readonly LineStep[] {
  const reached = search(old, now);
  if (reached === undefined) {
    return [
      ...old.map((_, i): LineStep => ({ kind: '-', i, j: 0 })),
      ...now.map((_, j): LineStep => ({ kind: '+', i: 0, j })),
    ];
  }
  const steps: LineStep[] = [];
  let [i, j] = [old.length, now.length];
  for (let edits = reached.length - 1; edits > 0; edits--) {
    const ends = reached[edits - 1] ?? new Map<number, number>();
    const k = i - j;
    const isDown = k === -edits || (k !== edits && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1));
    const from = isDown ? k + 1 : k - 1;
    const [x, y] = [ends.get(from) ?? 0, (ends.get(from) ?? 0) - from];
    while (i > x && j > y) steps.push({ kind: ' ', i: --i, j: --j });
    steps.push(isDown ? { kind: '+', i, j: --j } : { kind: '-', i: --i, j });
  }
  while (i > 0 && j > 0) steps.push({ kind: ' ', i: --i, j: --j });
  return steps.toReversed();
}

/** How far each diagonal reaches with 0, 1, 2, … edits; undefined: not within `MAX_EDITS`. */
function search(old: readonly string[], now: readonly string[]): Map<number, number>[] | undefined {
  const all: Map<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(MAX_EDITS, old.length + now.length); edits++) {
    const before = all.at(-1);
    const ends = new Map<number, number>();
    all.push(ends);
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && (before?.get(k - 1) ?? -1) < (before?.get(k + 1) ?? -1));
      let x = edits === 0 ? 0 : isDown ? (before?.get(k + 1) ?? 0) : (before?.get(k - 1) ?? 0) + 1;
      while (x < old.length && x - k < now.length && old[x] === now[x - k]) x++;
      ends.set(k, x);
      if (x >= old.length && x - k >= now.length) return all;
    }
  }
  return undefined;
}
