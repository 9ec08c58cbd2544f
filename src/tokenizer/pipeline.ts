import { AppError } from '../base/index.js';
import type { Cutter, IsText } from './tokens/added-tokens.js';
import { MAX_TEXT_UNITS } from './limits.js';
import type { TokenizerModel } from './models/index.js';
import { normalizeUnits, type Normalizer } from './normalizers/index.js';
import { shift, toIsText, type FindOwn, type PlainText } from './text/plain-text.js';
import type { PreTokenizer } from './pre-tokenizers/index.js';
import { copyUnits } from './text/units.js';
import { WordCache } from './text/word-cache.js';

/** The stages of encoding, in their order; absent ones do nothing. */
export interface Stages {
  readonly rawCutter: Cutter | undefined;
  readonly normalizer: Normalizer | undefined;
  readonly normalizedCutter: Cutter | undefined;
  /** For the control tokens that `normalizedCutter` seeks; absent without a normalizer. */
  readonly findOwn: FindOwn | undefined;
  readonly preTokenizer: PreTokenizer;
  readonly model: TokenizerModel;
}

/**
 * Joins the stages into one function that appends the ids of a text to `out`. Added tokens are cut out of the raw text,
 * and the rest is normalised. Further added tokens are cut out of that, the rest becomes words, and words become ids.
 * `plain`: where control tokens are text.
 */
export function createPipeline(stages: Stages): (text: string, out: number[], plain?: PlainText) => void {
  const { rawCutter, normalizer, normalizedCutter, findOwn, preTokenizer, model } = stages;
  const cache = new WordCache();

  const encodeWords = (units: Uint16Array, start: number, end: number, begins: boolean, out: number[]): void => {
    const pieces = preTokenizer.split({ units, bounds: [start, end], begins });
    const { units: split, bounds } = model.cut === undefined ? pieces : model.cut(pieces);
    for (let i = 0; i < bounds.length; i += 2) {
      const first = bounds[i] as number;
      const last = bounds[i + 1] as number;
      if (cache.recall(split, first, last, out)) continue;
      const from = out.length;
      model.encodeWord(split, first, last, out);
      cache.keep(split, first, last, out, from);
    }
  };
  const encodeNormalized = (
    units: Uint16Array,
    start: number,
    end: number,
    begins: boolean,
    out: number[],
    isText?: IsText,
  ): void => {
    if (normalizedCutter === undefined) return encodeWords(units, start, end, begins, out);
    const part = start === 0 && end === units.length ? units : units.slice(start, end);
    const stretch = (id: number, from: number, to: number): void => {
      if (id >= 0) out.push(id);
      else encodeWords(part, from, to, begins && from === 0, out);
    };
    normalizedCutter.cut(part, part.length, stretch, isText && shift(isText, start));
  };
  const encodeRaw = (units: Uint16Array, start: number, end: number, out: number[], isText?: IsText): void => {
    const normalized = normalizer === undefined ? undefined : normalizeUnits(units, start, end, normalizer);
    const begins = start === 0;
    if (normalized === undefined) return encodeNormalized(units, start, end, begins, out, isText);
    if (normalized.length === 0) return;
    const isOwnText = isText && normalizedCutter && findOwn?.(units, start, end, normalized, isText);
    encodeNormalized(normalized, 0, normalized.length, begins, out, isOwnText);
  };

  return (text, out, plain) => {
    if (text.length > MAX_TEXT_UNITS) {
      throw new AppError(
        'text_too_long',
        `a text of ${text.length} UTF-16 units cannot be encoded at once, the limit is ${MAX_TEXT_UNITS}; send a shorter one`,
        { units: text.length, limit: MAX_TEXT_UNITS },
      );
    }
    if (text === '') return;
    const units = toUnits(text);
    const isText = plain === undefined ? undefined : toIsText(plain);
    if (rawCutter === undefined) return encodeRaw(units, 0, units.length, out, isText);
    const stretch = (id: number, start: number, end: number): void => {
      if (id >= 0) out.push(id);
      else encodeRaw(units, start, end, out, isText);
    };
    rawCutter.cut(units, units.length, stretch, isText);
  };
}

function toUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  copyUnits(text, units);
  return units;
}
