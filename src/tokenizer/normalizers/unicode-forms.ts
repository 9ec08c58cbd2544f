import type { PartParser } from '../part.js';
import type { Normalizer } from './normalizer.js';

/** The four normalisation forms (UAX 15), by the running Node's tables; below the first composing mark NFC changes nothing. */
export const NFC = form('NFC', 0x300);
export const NFD = form('NFD', 0xc0);
export const NFKC = form('NFKC', 0xa0);
export const NFKD = form('NFKD', 0xa0);

function form(name: string, stableBelow: number): PartParser<Normalizer> {
  return () => ({ normalize: (text) => text.normalize(name), stableBelow });
}
