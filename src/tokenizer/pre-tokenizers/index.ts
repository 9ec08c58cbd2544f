import type { CategoryLookup } from '../unicode/code-points.js';
import { unsupportedTokenizer } from '../errors.js';
import { parsePart, parseParts, type PartParser } from '../file/part.js';
import { ByteLevel } from './byte-level.js';
import { Digits } from './digits.js';
import { Metaspace } from './metaspace.js';
import type { PreTokenizer } from './pre-tokenizer.js';
import { Split } from './split.js';
import { WhitespaceSplit } from './whitespace-split.js';

export type { Pieces, PreTokenizer } from './pre-tokenizer.js';

/** Sequence: one pre-tokenizer after the other; ByteLevel only as the last, since later ones would see bytes as text. */
const Sequence: PartParser<PreTokenizer> = (spec, context) => {
  const parts = parseParts(preTokenizers, spec, 'pretokenizers', context);
  const early = parts.findIndex((part, i) => part.toBytes && i < parts.length - 1);
  if (early >= 0)
    throw unsupportedTokenizer(`${context.where}.pretokenizers[${early}]`, 'ByteLevel before another pre-tokenizer');
  return {
    split: (pieces) => parts.reduce((sofar, part) => part.split(sofar), pieces),
    toBytes: parts.at(-1)?.toBytes ?? false,
  };
};

/** The pre-tokenizers by their `type` in tokenizer.json. */
export const preTokenizers: Readonly<Record<string, PartParser<PreTokenizer>>> = {
  ByteLevel,
  Split,
  Digits,
  Metaspace,
  WhitespaceSplit,
  Sequence,
};

/** Reads `pre_tokenizer` of tokenizer.json; null leaves a text whole. */
export function parsePreTokenizer(spec: unknown, categoryOf: CategoryLookup): PreTokenizer {
  if (spec === null || spec === undefined) return { split: (pieces) => pieces, toBytes: false };
  return parsePart(preTokenizers, spec, { categoryOf, where: 'pre_tokenizer', depth: 0 });
}
