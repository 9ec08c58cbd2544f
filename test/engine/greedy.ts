// Greedy requests of one caller, and an engine of small steps for them.

import { EngineCore } from '../../src/engine/engine.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import type { TinyModel } from '../support/tiny-model.js';

const VOCAB = 197;

/** A prompt: the same for the same seed, and the beginning of a longer one. */
export function text(seed: number, length: number): number[] {
  return Array.from({ length }, (_, i) => (seed * 31 + i * 17) % VOCAB);
}

/** Asks for eight tokens, unless `rest` says otherwise. */
export function ask(promptTokenIds: readonly number[], rest: Partial<GenerateRequest> = {}): GenerateRequest {
  const sampling = { temperature: 0, seed: 0 };
  return { promptTokenIds, maxTokens: 8, sampling, stopTokenIds: [], ignoreStop: true, caller: 'ada', ...rest };
}

/** An engine on the model. */
export function createEngine({ device, config: { contextLength, vocabSize } }: TinyModel): EngineCore {
  const limits = { maxRows: 64, chunkRows: 40, maxSequences: 16, maxWaiting: 32 };
  return new EngineCore(device, { contextLength, vocabSize, limits });
}
