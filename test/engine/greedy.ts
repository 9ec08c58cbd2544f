// Greedy requests of one caller, and an engine of small steps for them.

import { EngineCore, type EngineSettings } from '../../src/engine/engine.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import type { StepOutput } from '../../src/engine/step-output.js';
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
export function createEngine(
  { device, config: { contextLength, vocabSize } }: TinyModel,
  settings: Partial<EngineSettings> = {},
): EngineCore {
  const limits = { maxRows: 64, chunkRows: 40, maxSequences: 16, maxWaiting: 32 };
  return new EngineCore(device, { contextLength, vocabSize, limits, ...settings });
}

let lastId = 0;

/** Runs requests at once: the tokens of each, and how many of its prompt's were found. */
export function answers(
  engine: EngineCore,
  ...requests: GenerateRequest[]
): { tokens: number[]; cached: number | undefined }[] {
  const outputs: StepOutput[] = [];
  const ids = requests.map((request) => {
    engine.add(++lastId, request, []);
    return lastId;
  });
  while (engine.hasWork) engine.step(outputs);
  return ids.map((id) => {
    const own = outputs.filter(({ sequenceId }) => sequenceId === id);
    return { tokens: own.flatMap(({ tokenId }) => tokenId ?? []), cached: own[0]?.cachedTokens };
  });
}
