import { unassignedRuns } from '../unicode-9-unassigned.js';
import type { PartParser } from '../part.js';
import { orderLongMarkRuns } from './mark-runs.js';
import type { Normalizer } from './normalizer.js';

/**
 * The four normalisation forms (UAX 15) as the reference has them, which is in Unicode 9.0 (the tables of its crate
 * `unicode-normalization-alignments` 0.1.12): what came later is inert, so the text is cut there and only the parts
 * between are normalised. The stability policy keeps the rest equal in the running Node, whatever its version.
 */
export const NFC = form('NFC', 0x300); // below the first composing mark NFC changes nothing
export const NFD = form('NFD', 0xc0);
export const NFKC = form('NFKC', 0xa0);
export const NFKD = form('NFKD', 0xa0);

function form(name: string, stableBelow: number): PartParser<Normalizer> {
  return () => {
    const inert = inertPattern();
    const normalizePart = (part: string): string => orderLongMarkRuns(part).normalize(name);
    const normalize = (text: string): string => {
      if (!inert.test(text)) return normalizePart(text);
      return text
        .split(inert) // the captured inert characters stand at odd places
        .map((part, i) => (i % 2 === 1 ? part : normalizePart(part)))
        .join('');
    };
    return { normalize, stableBelow };
  };
}

/** Runs of the characters that are inert, in a group so that `split` keeps them. */
function inertPattern(): RegExp {
  let ranges = '';
  let at = 0;
  unassignedRuns.split(' ').forEach((length, i) => {
    const end = at + Number.parseInt(length, 36);
    if (i % 2 === 1) ranges += `\\u{${at.toString(16)}}-\\u{${(end - 1).toString(16)}}`;
    at = end;
  });
  return new RegExp(`([${ranges}]+)`, 'u');
}
