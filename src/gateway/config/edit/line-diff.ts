import { compareLines } from './compare-lines.js';

/**
 * A line of a difference. `+` was added, `-` was removed, blank is context. Numbers start at 1; null where a text lacks
 * the line.
 */
export interface DiffLine {
  readonly kind: '+' | '-' | ' ';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

/** A difference of two texts. `truncated`: more changes exist than are shown. */
export interface LineDiff {
  readonly hunks: readonly (readonly DiffLine[])[];
  readonly added: number;
  readonly removed: number;
  readonly truncated: boolean;
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3;
/** Changed lines that are shown: more is another file. */
const MAX_SHOWN = 2_000;

/** How `after` differs from `before`, by lines. */
export function diffLines(before: string, after: string): LineDiff {
  const [old, now] = [toLines(before), toLines(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const lines: DiffLine[] = [];
  const keep = (i: number, j: number): void =>
    void lines.push({ kind: ' ', before: i + 1, after: j + 1, text: old[i] ?? '' });
  for (let i = 0; i < start; i++) keep(i, i);
  for (const { kind, i, j } of compareLines(old.slice(start, old.length - end), now.slice(start, now.length - end))) {
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

/** Cuts the lines into hunks. */
function toDiff(lines: readonly DiffLine[]): LineDiff {
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
