import { AppError } from '../../base/index.js';
import type { Metadata } from '../../weights/index.js';
import { knownSampling, type RecommendedValues } from './known-sampling.js';

/** The least and the largest of each number that makers recommend. A top-k of −1 means no bound, as 0 does. */
const BOUNDS = {
  temperature: [0, Infinity],
  topP: [0, 1],
  topK: [-1, 2 ** 31 - 1],
  minP: [0, 1],
  repetitionPenalty: [Number.MIN_VALUE, Infinity],
} as const;

/** A number that makers recommend. */
type SamplingNumber = keyof typeof BOUNDS;

/**
 * The numbers that a file recommends. `names`: how its format calls each; `valueOf`: what it has under such a name;
 * `refuse`: the error for a value that is no number in its bounds, which are given as a text. Throws it.
 */
export function readSamplingNumbers(
  names: Readonly<Record<SamplingNumber, string>>,
  valueOf: (name: string) => unknown,
  refuse: (name: string, value: unknown, expected: string) => AppError,
): RecommendedValues {
  const entries = (Object.keys(BOUNDS) as SamplingNumber[]).flatMap((number) => {
    const value = valueOf(names[number]);
    if (value === undefined || value === null) return [];
    const [least, most] = BOUNDS[number];
    if (typeof value !== 'number' || !(value >= least && value <= most)) {
      throw refuse(names[number], value, toExpected(least, most));
    }
    // Some programs write whole numbers as floats.
    return [[number, number === 'topK' ? Math.max(0, Math.round(value)) : value] as const];
  });
  return Object.fromEntries(entries);
}

function toExpected(least: number, most: number): string {
  if (most !== Infinity) return `a number from ${least} to ${most}`;
  return least === 0 ? 'a number from 0 on' : 'a number above 0';
}

/** GGUF's key of each number. Source: llama.cpp, src/llama-arch.cpp, `LLM_KV_GENERAL_SAMPLING_*`. */
const KEYS = {
  temperature: 'general.sampling.temp',
  topP: 'general.sampling.top_p',
  topK: 'general.sampling.top_k',
  minP: 'general.sampling.min_p',
  repetitionPenalty: 'general.sampling.penalty_repeat',
} as const;

/** Digits of a float32: its 0.95 is shown as 0.95. */
const FLOAT_DIGITS = 7;

/**
 * The makers' recommendations for sampling of a GGUF file: `general.sampling.*`. A file without any, whose model is
 * known by name and has a chat template, gets those of `knownSampling`. `file` is for errors: `checkpoint_invalid`.
 */
export function readGgufSampling(metadata: Metadata, file: string): RecommendedValues {
  const valueOf = (key: string): unknown => {
    const value = metadata.get(key);
    return typeof value === 'number' ? Number(value.toPrecision(FLOAT_DIGITS)) : value;
  };
  const own = readSamplingNumbers(KEYS, valueOf, (key, value, expected) => {
    const shown = typeof value === 'object' ? 'a list' : JSON.stringify(value)?.slice(0, 40);
    return new AppError('checkpoint_invalid', `${file} has ${key} = ${shown}; it must be ${expected}`, { file });
  });
  if (Object.keys(own).length > 0) return own;
  if (!metadata.has('tokenizer.chat_template')) return {};
  const names = namesOf(metadata);
  return knownSampling.find(({ name }) => names.some((each) => name.test(each)))?.values ?? {};
}

/** The model's names: as its converter wrote it, and joined from its parts. */
function namesOf(metadata: Metadata): string[] {
  const text = (key: string): string => {
    const value = metadata.get(`general.${key}`);
    return typeof value === 'string' ? value.slice(0, 200) : '';
  };
  const joined = ['basename', 'size_label', 'finetune', 'version'].map(text).filter((part) => part !== '');
  return [text('name'), joined.join('-')].map((name) => name.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-'));
}
