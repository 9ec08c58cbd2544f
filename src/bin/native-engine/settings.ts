import { setAt } from '../../engine/index.js';
import type { GenerateOptions, Model } from '../../index.js';
import type { AnswerFormat } from './answer-format.js';
import { samplingOptions, type SamplingNumbers } from './sampling-options.js';

/** How answers are made in one session: given options win over the model's own generation config. */
export interface Settings {
  readonly sampling: SamplingNumbers;
  /** -1: another one each time. */
  seed?: number | bigint | undefined;
  maxTokens?: number | undefined;
  /** Undefined leaves it to the chat template. */
  think?: boolean | undefined;
  /** Undefined: text. */
  format?: AnswerFormat | undefined;
  verbose: boolean;
}

/** The settings of `given` over the sampling values that the model's publisher recommends. */
export function withModelDefaults(model: Model, given: Settings): Settings {
  const sampling: SamplingNumbers = {};
  for (const { name, recommended } of samplingOptions) {
    const value = given.sampling[name] ?? recommended(model.generation);
    if (value !== undefined) sampling[name] = value;
  }
  return { ...given, sampling };
}

/** The settings as `generate` takes them, but for the prompt and its limit; absent ones left out. */
export function toGenerateFields({ sampling, seed }: Settings): Partial<GenerateOptions> {
  const fields: Record<string, unknown> = {};
  for (const { name, path } of samplingOptions) {
    const value = sampling[name];
    if (value !== undefined) setAt(fields, path, value);
  }
  return { ...fields, ...(seed !== undefined && { seed }) };
}

/** The settings under their names on the wire, absent ones left out. */
export function toRequestFields(settings: Settings): Record<string, number | bigint | boolean> {
  const { sampling, seed, maxTokens, think } = settings;
  return {
    ...sampling,
    ...(seed !== undefined && { seed }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(think !== undefined && { enable_thinking: think }),
  };
}
