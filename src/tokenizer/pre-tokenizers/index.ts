import type { CategoryLookup } from '../unicode/code-points.js';
import { unsupported } from '../errors.js';
import { parsePart, parseParts, type PartParser } from '../part.js';
import { ByteLevel } from './byte-level.js';
import { Digits } from './digits.js';
import type { PreTokenizer } from './pre-tokenizer.js';
import { Split } from './split.js';

export type { PreTokenizer } from './pre-tokenizer.js';

/** Sequence: one pre-tokenizer after the other; ByteLevel only as the last, since later ones would see bytes as text. */
const Sequence: PartParser<PreTokenizer> = (spec, context) => {
  const parts = parseParts(preTokenizers, spec, 'pretokenizers', context);
  const early = parts.findIndex((part, i) => part.toBytes && i < parts.length - 1);
  if (early >= 0)
    throw unsupported(`${context.where}.pretokenizers[${early}]`, 'ByteLevel before another pre-tokenizer');
  return {
    split: (pieces) => parts.reduce((sofar, part) => part.split(sofar), pieces),
    toBytes: parts.at(-1)?.toBytes ?? false,
  };
};

/** The pre-tokenizers by their `type` in tokenizer.json. */
export const preTokenizers: Readonly<Record<string, PartParser<PreTokenizer>>> = { ByteLevel, Split, Digits, Sequence };

/** Reads `pre_tokenizer` of tokenizer.json. Errors: `unsupported_tokenizer` unless it ends in bytes. */
export function parsePreTokenizer(spec: unknown, categoryOf: CategoryLookup): PreTokenizer {
  const where = 'pre_tokenizer';
  if (spec === null || spec === undefined)
    throw unsupported(where, 'a tokenizer without ByteLevel (SentencePiece style)');
  const parsed = parsePart(preTokenizers, spec, { categoryOf, where, depth: 0 });
  if (!parsed.toBytes) throw unsupported(where, 'a tokenizer without ByteLevel (SentencePiece style)');
  return parsed;
}
