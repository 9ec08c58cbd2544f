import { readFlag } from '../file/json.js';
import type { PartParser } from '../file/part.js';
import { Regex } from '../regex/regex.js';
import { cutPieces } from './cut.js';
import type { Pieces, PreTokenizer } from './pre-tokenizer.js';

/** GPT-2's cut into words. Source: openai/gpt-2 encoder.py. */
const GPT2_PATTERN = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

const SPACE = 0x20;

/** ByteLevel: a space in front of each piece if asked for, GPT-2's cut unless `use_regex` is false, then bytes. */
export const ByteLevel: PartParser<PreTokenizer> = (spec, { categoryOf, where }) => {
  const prefixed = readFlag(spec['add_prefix_space'], `${where}.add_prefix_space`, true);
  const useRegex = readFlag(spec['use_regex'], `${where}.use_regex`, true);
  const regex = useRegex ? new Regex(GPT2_PATTERN, categoryOf, where) : undefined;
  const split = (pieces: Pieces): Pieces => {
    const spaced = prefixed ? addPrefixSpaces(pieces) : pieces;
    return regex === undefined ? spaced : cutPieces(spaced, regex, 'Isolated', false);
  };
  return { split, toBytes: true };
};

/** Puts a space before each piece that does not begin with one. */
function addPrefixSpaces({ units, bounds, begins }: Pieces): Pieces {
  const spaced = new Uint16Array(units.length + bounds.length / 2);
  const moved: number[] = [];
  let at = 0;
  for (let i = 0; i < bounds.length; i += 2) {
    const start = bounds[i] as number;
    const end = bounds[i + 1] as number;
    const from = at;
    if (units[start] !== SPACE) spaced[at++] = SPACE;
    spaced.set(units.subarray(start, end), at);
    at += end - start;
    moved.push(from, at);
  }
  return { units: spaced, bounds: moved, begins };
}
