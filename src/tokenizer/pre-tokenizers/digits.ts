import { readFlag } from '../file/json.js';
import type { PartParser } from '../file/part.js';
import { Regex } from '../regex/regex.js';
import { cutPieces } from './cut.js';
import type { PreTokenizer } from './pre-tokenizer.js';

/** Digits: numeric characters (general category N) apart from the rest, one by one or a run at a time. */
export const Digits: PartParser<PreTokenizer> = (spec, { categoryOf, where }) => {
  const individual = readFlag(spec['individual_digits'], `${where}.individual_digits`, false);
  const regex = new Regex(individual ? '\\p{N}' : '\\p{N}+', categoryOf, where);
  return { split: (pieces) => cutPieces(pieces, regex, 'Isolated', false), toBytes: false };
};
