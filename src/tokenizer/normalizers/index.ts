import type { CategoryLookup } from '../unicode/code-points.js';
import { parsePart, parseParts, type PartParser } from '../file/part.js';
import { Lowercase } from './lowercase.js';
import { Nmt } from './nmt.js';
import type { Normalizer } from './normalizer.js';
import { Precompiled } from './precompiled.js';
import { Prepend } from './prepend.js';
import { Replace } from './replace.js';
import { SentencePiece } from './sentencepiece.js';
import { Strip } from './strip.js';
import { NFC, NFD, NFKC, NFKD } from './unicode-forms.js';

export type { Normalizer } from './normalizer.js';
export { normalizeUnits } from './stretches.js';

/** Sequence: one normalizer after the other. */
const Sequence: PartParser<Normalizer> = (spec, context) => {
  const parts = parseParts(normalizers, spec, 'normalizers', context);
  return {
    normalize: (text) => parts.reduce((sofar, part) => part.normalize(sofar), text),
    stableBelow: Math.min(0x10000, ...parts.map((part) => part.stableBelow)),
  };
};

/** The normalizers by their `type` in tokenizer.json. */
export const normalizers: Readonly<Record<string, PartParser<Normalizer>>> = {
  NFC,
  NFD,
  NFKC,
  NFKD,
  Lowercase,
  Replace,
  Prepend,
  Strip,
  Nmt,
  Precompiled,
  SentencePiece,
  Sequence,
};

/** Reads `normalizer` of tokenizer.json; null is none. */
export function parseNormalizer(spec: unknown, categoryOf: CategoryLookup): Normalizer | undefined {
  if (spec === null || spec === undefined) return undefined;
  return parsePart(normalizers, spec, { categoryOf, where: 'normalizer', depth: 0 });
}
