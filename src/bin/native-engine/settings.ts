import type { Model } from '../../index.js';

/** How answers are made in one session: given options win over the model's own generation config. */
export interface Settings {
  temperature?: number;
  topP?: number;
  topK?: number;
  minP?: number;
  /** -1: another one each time. */
  seed?: number | bigint;
  maxTokens?: number;
  /** Undefined leaves it to the chat template. */
  think?: boolean | undefined;
  verbose: boolean;
}

/** The settings of `given` over the sampling values that the model's publisher recommends. */
export function withModelDefaults(model: Model, given: Settings): Settings {
  const { temperature, topP, topK, minP } = model.generation;
  const recommended = { temperature, topP, topK, minP };
  const entries = Object.entries({ ...recommended, ...given }).filter(([, value]) => value !== undefined);
  return { verbose: given.verbose, ...Object.fromEntries(entries) };
}

/** The settings under their names on the wire, absent ones left out. */
export function toRequestFields(settings: Settings): Record<string, number | bigint | boolean> {
  const fields = {
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    min_p: settings.minP,
    seed: settings.seed,
    max_tokens: settings.maxTokens,
    enable_thinking: settings.think,
  };
  const given: Record<string, number | bigint | boolean> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) given[name] = value;
  }
  return given;
}
