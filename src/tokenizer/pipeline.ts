import { AppError } from '../base/index.js';
import type { Cutter } from './added-tokens.js';
import { MAX_TEXT_UNITS } from './limits.js';
import type { Model } from './models/index.js';
import { normalizeUnits, type Normalizer } from './normalizers/index.js';
import type { PreTokenizer } from './pre-tokenizers/index.js';
import { copyUnits } from './units.js';
import { WordCache } from './word-cache.js';

/** The stages of encoding, in their order; absent ones do nothing. */
export interface Stages {
  readonly rawCutter: Cutter | undefined;
  readonly normalizer: Normalizer | undefined;
  readonly normalizedCutter: Cutter | undefined;
  readonly preTokenizer: PreTokenizer;
  readonly model: Model;
}

/**
 * Joins the stages into one function that appends the ids of a text to `out`: added tokens are cut out of the raw text,
 * the rest is normalised, further added tokens are cut out of that, the rest becomes words, and words become ids.
 */
export function createPipeline(stages: Stages): (text: string, out: number[]) => void {
  const { rawCutter, normalizer, normalizedCutter, preTokenizer, model } = stages;
  const cache = new WordCache();

  const encodeWords = (units: Uint16Array, start: number, end: number, out: number[]): void => {
    const { units: split, bounds } = preTokenizer.split({ units, bounds: [start, end] });
    for (let i = 0; i < bounds.length; i += 2) {
      const first = bounds[i] as number;
      const last = bounds[i + 1] as number;
      if (cache.recall(split, first, last, out)) continue;
      const from = out.length;
      model.encodeWord(split, first, last, out);
      cache.keep(split, first, last, out, from);
    }
  };
  const encodeNormalized = (units: Uint16Array, start: number, end: number, out: number[]): void => {
    if (normalizedCutter === undefined) return encodeWords(units, start, end, out);
    const part = start === 0 && end === units.length ? units : units.slice(start, end);
    normalizedCutter.cut(part, part.length, (id, from, to) => {
      if (id >= 0) out.push(id);
      else encodeWords(part, from, to, out);
    });
  };
  const encodeRaw = (units: Uint16Array, start: number, end: number, out: number[]): void => {
    const normalized = normalizer === undefined ? undefined : normalizeUnits(units, start, end, normalizer);
    if (normalized === undefined) encodeNormalized(units, start, end, out);
    else if (normalized.length > 0) encodeNormalized(normalized, 0, normalized.length, out);
  };

  return (text, out) => {
    if (text.length > MAX_TEXT_UNITS) {
      throw new AppError(
        'text_too_long',
        `a text of ${text.length} UTF-16 units cannot be encoded at once, the limit is ${MAX_TEXT_UNITS}; send a shorter one`,
        { units: text.length, limit: MAX_TEXT_UNITS },
      );
    }
    if (text === '') return;
    const units = toUnits(text);
    if (rawCutter === undefined) return encodeRaw(units, 0, units.length, out);
    rawCutter.cut(units, units.length, (id, start, end) => {
      if (id >= 0) out.push(id);
      else encodeRaw(units, start, end, out);
    });
  };
}

function toUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  copyUnits(text, units);
  return units;
}
