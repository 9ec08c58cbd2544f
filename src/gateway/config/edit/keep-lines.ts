import { compareLines } from './compare-lines.js';

/**
 * `written` with the lines of `text` wherever the edit changed nothing. The YAML writer produced both `plain` and
 * `written`; `plain` is `text` without the edit. So `plain` and `written` differ by the edit, and `text` and `plain`
 * differ only in spacing, quotes and comments. Where the two cannot be distinguished, the lines of `written` are kept.
 */
export function keepLines(text: string, plain: string, written: string): string {
  const [own, base, now] = [text.split('\n'), plain.split('\n'), written.split('\n')];
  const [ofText, ofWritten] = [placesIn(base.map(toBare), own.map(toBare), true), placesIn(base, now, false)];
  const lines: string[] = [];
  let [i, j, k] = [0, 0, 0];
  /** Takes the original lines up to an anchor that all three texts have; only edited lines come from the writer. */
  const take = (baseEnd: number, textEnd: number, writtenEnd: number): void => {
    if (textEnd < j || writtenEnd < k) return;
    const isSame = baseEnd - i === writtenEnd - k && base.slice(i, baseEnd).every((line, n) => line === now[k + n]);
    lines.push(...(isSame ? own.slice(j, textEnd) : now.slice(k, writtenEnd)));
    [i, j, k] = [baseEnd, textEnd, writtenEnd];
  };
  for (let at = 1; at < base.length; at++) {
    const [inText, inWritten] = [boundsAt(ofText, at), boundsAt(ofWritten, at)];
    if (inText === undefined || inWritten === undefined) continue;
    take(at, inText.end, inWritten.end);
    // Between two adjacent lines: what the edit inserted, or what the writer leaves out.
    take(at, inText.start, inWritten.start);
  }
  take(base.length, own.length, now.length);
  return lines.join('\n');
}

/** Where the line before `at` ends and that at `at` starts; undefined: neither is known. */
function boundsAt(places: ReadonlyMap<number, number>, at: number) {
  const [before, here] = [places.get(at - 1), places.get(at)];
  if (before === undefined) return here === undefined ? undefined : { end: here, start: here };
  return { end: before + 1, start: here ?? before + 1 };
}

/** A line without what the writer respells: blanks and quotes. */
function toBare(line: string): string {
  return line.replaceAll(/[\s'"]/g, '');
}

/**
 * Where lines of `base` are in `other`. `isLineForLine`: different lines match too, if as many were removed as were
 * added.
 */
function placesIn(
  base: readonly string[],
  other: readonly string[],
  isLineForLine: boolean,
): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  let [at, out, put] = [0, 0, 0];
  const close = (): void => {
    if (isLineForLine && out === put) for (let n = 0; n < out; n++) places.set(at - out + n, from - put + n);
    [out, put] = [0, 0];
  };
  let from = 0;
  for (const { kind } of compareLines(base, other)) {
    if (kind === ' ') {
      close();
      places.set(at++, from++);
    } else if (kind === '-') {
      at++;
      out++;
    } else {
      from++;
      put++;
    }
  }
  close();
  return places;
}
