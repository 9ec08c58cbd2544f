import { readFlag } from '../file/json.js';
import { toPattern, type PartParser } from '../file/part.js';
import { Regex } from '../regex/regex.js';
import { cutPieces, toBehavior } from './cut.js';
import type { PreTokenizer } from './pre-tokenizer.js';

/** Split: cuts at the matches of a regular expression or a literal text. */
export const Split: PartParser<PreTokenizer> = (spec, { categoryOf, where }) => {
  const regex = new Regex(toPattern(spec['pattern'], `${where}.pattern`), categoryOf, `${where}.pattern`);
  const behavior = toBehavior(spec['behavior'], `${where}.behavior`);
  const invert = readFlag(spec['invert'], `${where}.invert`, false);
  return { split: (pieces) => cutPieces(pieces, regex, behavior, invert), toBytes: false };
};
