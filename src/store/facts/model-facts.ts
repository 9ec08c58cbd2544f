// Facts of a model without loading it: from its manifest, or from the header of its GGUF file.
import type { Origin } from '../origin.js';
import type { RecommendedValues } from './known-sampling.js';

/** A value of a GGUF file as JSON has it. */
export type FactValue = number | boolean | string | null | readonly FactValue[];

/** A tensor as its file stores it. */
export interface TensorFact {
  readonly name: string;
  /** In GGML's words: `F32`, `Q8_0`. */
  readonly type: string;
  /** Outermost dimension first. */
  readonly shape: readonly number[];
}

/** Facts of a model. */
export interface ModelFacts {
  readonly format: 'gguf' | 'troupe';
  /** As its files name it: `qwen3`. */
  readonly architecture: string;
  readonly sizeBytes: number;
  /**
   * 64 hex digits, unique to the model: from the hashes of an artifact's files, or from a GGUF file's header, size and
   * time of change.
   */
  readonly digest: string;
  readonly numParameters: number;
  /** In llama.cpp's words: `Q4_K_M`. */
  readonly quantization: string;
  readonly contextLength: number | undefined;
  readonly embeddingLength: number | undefined;
  /** By GGUF's keys; for an artifact, those of its config. */
  readonly info: Readonly<Record<string, FactValue>>;
  readonly template: string | null;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /** The authors' recommendations. */
  readonly generation: RecommendedValues;
  readonly license: string | undefined;
  /** Where an artifact is from; undefined of a file. */
  readonly origin: Origin | undefined;
  readonly tensors: readonly TensorFact[];
}

/** A fact that is a number. */
export function factNumberOf(info: ModelFacts['info'], key: string): number | undefined {
  const value = info[key];
  return typeof value === 'number' ? value : undefined;
}
