import type { GenerationDefaults } from '../../artifact/index.js';

/** Recommendations for sampling. */
export type RecommendedValues = Partial<Omit<GenerationDefaults, 'stopTokenIds'>>;

/** A recommendation of a model's makers, and where they publish it. */
interface KnownSampling {
  /** For documents. */
  readonly models: string;
  /** Matches the model's name from its start, in lower case and with one hyphen between words: `llama-3.2-3b-instruct`. */
  readonly name: RegExp;
  readonly values: RecommendedValues;
  /** A repository of huggingface.co and its file. Sizes of the family share the values. */
  readonly source: string;
}

/**
 * The makers' sampling for models whose GGUF files usually lack it: converters copy generation_config.json only since
 * November 2025 (llama.cpp, pull request 17120), and never a model card. The first match counts. The example
 * of a card is no recommendation. A repetition penalty
 * is left out where sizes of one family differ in it. Collected on 2026-11-28, without a connection to the hub.
 */
export const knownSampling: readonly KnownSampling[] = [
  {
    models: 'DeepSeek-R1 and its distilled models',
    name: /^deepseek-r1\b/,
    values: { temperature: 0.6, topP: 0.95 },
    source: 'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B, generation_config.json',
  },
  {
    models: 'Devstral',
    name: /^devstral\b/,
    values: { temperature: 0.15 },
    source: 'mistralai/Devstral-Small-2507, README.md',
  },
  {
    models: 'Gemma 3, Gemma 3n',
    name: /^gemma-3n?-/,
    values: { temperature: 1, topK: 64, topP: 0.95 },
    source: 'google/gemma-3-4b-it, generation_config.json',
  },
  {
    models: 'gpt-oss',
    name: /^gpt-oss\b/,
    values: { temperature: 1, topP: 1 },
    source: 'openai/gpt-oss-20b, "Recommended Sampling Parameters" of github.com/openai/gpt-oss',
  },
  {
    models: 'LFM2',
    name: /^lfm2-/,
    values: { temperature: 0.3, minP: 0.15, repetitionPenalty: 1.05 },
    source: 'LiquidAI/LFM2-1.2B, README.md',
  },
  {
    models: 'Llama 3 to 3.3 Instruct',
    name: /^(meta-)?llama-3(\.\d)?-.*instruct/,
    values: { temperature: 0.6, topP: 0.9 },
    source: 'meta-llama/Llama-3.2-3B-Instruct, generation_config.json',
  },
  {
    models: 'Mistral Nemo Instruct',
    name: /^mistral-nemo-instruct\b/,
    values: { temperature: 0.3 },
    source: 'mistralai/Mistral-Nemo-Instruct-2407, README.md',
  },
  {
    models: 'Mistral Small Instruct',
    name: /^mistral-small-.*instruct/,
    values: { temperature: 0.15 },
    source: 'mistralai/Mistral-Small-3.2-24B-Instruct-2506, README.md',
  },
  {
    models: 'Phi-4-reasoning, Phi-4-mini-reasoning',
    name: /^phi-4-(mini-)?reasoning\b/,
    values: { temperature: 0.8, topP: 0.95 },
    source: 'microsoft/Phi-4-mini-reasoning, README.md',
  },
  {
    models: 'Qwen2 and Qwen2.5 Instruct',
    name: /^qwen2(\.5)?-.*instruct/,
    values: { temperature: 0.7, topK: 20, topP: 0.8 },
    source: 'Qwen/Qwen2.5-7B-Instruct, generation_config.json',
  },
  {
    models: 'Qwen3 Instruct-2507, Qwen3-Coder',
    name: /^qwen3-.*(instruct|coder)/,
    values: { temperature: 0.7, topK: 20, topP: 0.8 },
    source: 'Qwen/Qwen3-4B-Instruct-2507, generation_config.json',
  },
  {
    models: 'Qwen3',
    name: /^qwen3-/,
    values: { temperature: 0.6, topK: 20, topP: 0.95 },
    source: 'Qwen/Qwen3-8B, generation_config.json',
  },
  {
    models: 'QwQ',
    name: /^qwq-/,
    values: { temperature: 0.6, topK: 40, topP: 0.95 },
    source: 'Qwen/QwQ-32B, generation_config.json',
  },
  {
    models: 'SmolLM3',
    name: /^smollm3-/,
    values: { temperature: 0.6, topP: 0.95 },
    source: 'HuggingFaceTB/SmolLM3-3B, README.md',
  },
];
