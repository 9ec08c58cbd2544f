import type { PartParser } from '../file/part.js';
import { Regex } from '../regex/regex.js';
import { cutPieces } from './cut.js';
import type { PreTokenizer } from './pre-tokenizer.js';

/** WhitespaceSplit: words are what lies between white space. */
export const WhitespaceSplit: PartParser<PreTokenizer> = (_spec, { categoryOf, where }) => {
  const regex = new Regex('\\s+', categoryOf, where);
  return { split: (pieces) => cutPieces(pieces, regex, 'Removed', false), toBytes: false };
};
