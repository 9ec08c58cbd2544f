import { setAt } from '../../../engine/index.js';
import type { GenerateOptions } from '../../../index.js';
import type { ChosenFormat } from '../dialogue/answer-format.js';
import { samplingOptions, type SamplingNumbers } from './sampling-options.js';

/** How answers are made in one session. Numbers that were not given are the library's to choose. */
export interface AnswerSettings {
  readonly sampling: SamplingNumbers;
  /** -1: another one each time. */
  seed?: number | bigint | undefined;
  maxTokens?: number | undefined;
  /** Texts that end an answer; they are not part of it. */
  stops?: readonly string[] | undefined;
  /** Undefined leaves it to the chat template. */
  think?: boolean | undefined;
  /** Undefined: text. */
  format?: ChosenFormat | undefined;
  verbose: boolean;
}

/** The settings as `generate` takes them, but for the prompt and its limit; absent ones left out. */
export function toGenerateFields({ sampling, seed }: AnswerSettings): Partial<GenerateOptions> {
  const fields: Record<string, unknown> = {};
  for (const { name, path } of samplingOptions) {
    const value = sampling[name];
    if (value !== undefined) setAt(fields, path, value);
  }
  return { ...fields, ...(seed !== undefined && { seed }) };
}

/** The settings under their names on the wire, absent ones left out. */
export function toRequestFields(
  settings: AnswerSettings,
): Record<string, number | bigint | boolean | readonly string[]> {
  const { sampling, seed, maxTokens, stops = [], think } = settings;
  return {
    ...sampling,
    ...(seed !== undefined && { seed }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stops.length > 0 && { stop: stops }),
    ...(think !== undefined && { enable_thinking: think }),
  };
}
