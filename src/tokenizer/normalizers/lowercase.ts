import type { PartParser } from '../file/part.js';
import type { Normalizer } from './normalizer.js';

/**
 * Lowercase, character by character: JavaScript looks at the neighbours of a capital sigma only, so it is lowered apart.
 */
export const Lowercase: PartParser<Normalizer> = () => ({
  normalize: (text) =>
    text
      .split('Σ')
      .map((part) => part.toLowerCase())
      .join('σ'),
  stableBelow: 0x41,
});
