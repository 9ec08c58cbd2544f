import { AppError } from '../../base/index.js';
import type { Metadata } from '../../weights/index.js';
import { knownSampling, type RecommendedValues } from './known-sampling.js';

/** GGUF's key of each number, with its bounds. Source: llama.cpp, src/llama-arch.cpp, `LLM_KV_GENERAL_SAMPLING_*`. */
const KEYS = [
  ['temperature', 'temp', 0, Infinity],
  ['topP', 'top_p', 0, 1],
  ['topK', 'top_k', -1, 2 ** 31 - 1],
  ['minP', 'min_p', 0, 1],
  ['repetitionPenalty', 'penalty_repeat', Number.MIN_VALUE, Infinity],
] as const;

/** Digits of a float32: its 0.95 is shown as 0.95. */
const FLOAT_DIGITS = 7;

/**
 * The makers' recommendations for sampling of a GGUF file: `general.sampling.*`. A file without any, whose model is
 * known by name and has a chat template, gets those of `knownSampling`. `file` is for errors: `checkpoint_invalid`.
 */
export function readGgufSampling(metadata: Metadata, file: string): RecommendedValues {
  const entries = KEYS.flatMap(([name, key, min, max]) => {
    const value = readNumber(metadata, `general.sampling.${key}`, min, max, file);
    // A count of 0 or less means no bound.
    return value === undefined ? [] : [[name, name === 'topK' ? Math.max(0, Math.round(value)) : value] as const];
  });
  if (entries.length > 0) return Object.fromEntries(entries);
  if (!metadata.has('tokenizer.chat_template')) return {};
  const names = namesOf(metadata);
  return knownSampling.find(({ name }) => names.some((each) => name.test(each)))?.values ?? {};
}

function readNumber(metadata: Metadata, key: string, min: number, max: number, file: string): number | undefined {
  const value = metadata.get(key);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return Number(value.toPrecision(FLOAT_DIGITS));
  const shown = JSON.stringify(typeof value === 'object' ? `a list of ${value.length}` : String(value).slice(0, 40));
  throw new AppError('checkpoint_invalid', `${file} has ${key} = ${shown}; ${min} to ${max} is possible`, { file });
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
