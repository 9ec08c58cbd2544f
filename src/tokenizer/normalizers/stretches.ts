import { unitsToText } from '../text/units.js';
import type { Normalizer } from './normalizer.js';

/** Stable units in a row that end a stretch: shorter gaps are cheaper to normalise than to cut around. */
const GAP = 24;

/**
 * `units[start, end)` normalised, or undefined when nothing in it can change. Only stretches around characters that may
 * change go through strings; the rest is copied.
 */
export function normalizeUnits(
  units: Uint16Array,
  start: number,
  end: number,
  { normalize, stableBelow }: Normalizer,
): Uint16Array | undefined {
  const nextUnstable = (from: number): number => {
    let at = from;
    while (at < end && (units[at] as number) < stableBelow) at++;
    return at;
  };
  let first = nextUnstable(start);
  if (first === end && stableBelow > 0) return undefined;
  let out = new Uint16Array(end - start + 64);
  let count = 0;
  const room = (more: number): void => {
    if (count + more <= out.length) return;
    const grown = new Uint16Array(2 * (count + more));
    grown.set(out.subarray(0, count));
    out = grown;
  };
  let copied = start;
  while (first < end) {
    const from = first > copied ? first - 1 : first; // with the character before, which a mark may join
    let to = first + 1;
    for (let at = to; at < end && at - to < GAP; at++) if ((units[at] as number) >= stableBelow) to = at + 1;
    const text = normalize(unitsToText(units, from, to));
    room(from - copied + text.length);
    out.set(units.subarray(copied, from), count);
    count += from - copied;
    for (let i = 0; i < text.length; i++) out[count++] = text.charCodeAt(i);
    copied = to;
    first = nextUnstable(to);
  }
  room(end - copied);
  out.set(units.subarray(copied, end), count);
  return out.subarray(0, count + end - copied);
}
