import type { Diff } from '../schemas/configuration.js';

type DiffLine = Diff['hunks'][number][number];

/** Lines around a change that are shown with it. */
const CONTEXT = 3;
/** Changed lines that are shown: more is another file. */
const MAX_SHOWN = 2_000;
/** Differences that are looked for; beyond that the middle counts as replaced. Time and memory grow with the square. */
const MAX_EDITS = 1_000;

/** How `after` differs from `before`, by lines. Source: E. W. Myers, An O(ND) Difference Algorithm, 1986. */
export function diffLines(before: string, after: string): Diff {
  const [old, now] = [toLines(before), toLines(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const lines: DiffLine[] = [];
  const keep = (i: number, j: number): void =>
    void lines.push({ kind: ' ', before: i + 1, after: j + 1, text: old[i] ?? '' });
  for (let i = 0; i < start; i++) keep(i, i);
  for (const { kind, i, j } of compare(old.slice(start, old.length - end), now.slice(start, now.length - end))) {
    if (kind === ' ') keep(start + i, start + j);
    else if (kind === '-') lines.push({ kind, before: start + i + 1, after: null, text: old[start + i] ?? '' });
    else lines.push({ kind, before: null, after: start + j + 1, text: now[start + j] ?? '' });
  }
  for (let k = end; k > 0; k--) keep(old.length - k, now.length - k);
  return toDiff(lines);
}

function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

interface Step {
  readonly kind: DiffLine['kind'];
  readonly i: number;
  readonly j: number;
}

/** The steps from `old` to `now`: as few changes as there can be, within `MAX_EDITS`. */
function compare(old: readonly string[], now: readonly string[]): readonly Step[] {
  const reached = search(old, now);
  if (reached === undefined) {
    return [...old.map((_, i): Step => ({ kind: '-', i, j: 0 })), ...now.map((_, j): Step => ({ kind: '+', i: 0, j }))];
  }
  const steps: Step[] = [];
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

/** Cuts the lines into hunks. */
function toDiff(lines: readonly DiffLine[]): Diff {
  const changed = lines.flatMap(({ kind }, at) => (kind === ' ' ? [] : [at]));
  const hunks: DiffLine[][] = [];
  const isFar = (a: number, b = Infinity): boolean => b - a > 2 * CONTEXT + 1;
  const shown = changed.slice(0, MAX_SHOWN);
  let first = 0;
  for (const [i, at] of shown.entries()) {
    if (i === 0 || isFar(shown[i - 1] ?? 0, at)) first = Math.max(0, at - CONTEXT);
    if (isFar(at, shown[i + 1])) hunks.push(lines.slice(first, at + 1 + CONTEXT));
  }
  return {
    hunks,
    added: lines.filter(({ kind }) => kind === '+').length,
    removed: lines.filter(({ kind }) => kind === '-').length,
    truncated: changed.length > MAX_SHOWN,
  };
}
