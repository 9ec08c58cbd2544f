// Random crowds of sequences for the law: every sequence has exactly the tokens that it has alone.

import fc from 'fast-check';
import { Engine, type EngineSettings, type StepOutput } from '../../src/engine/engine.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import type { TinyModel } from '../support/tiny-model.js';

/** One sequence of a mix: what it asks, when it comes, and after how many tokens it is cancelled. */
export interface Member {
  readonly request: GenerateRequest;
  readonly arrivesAtStep: number;
  readonly cancelAfter: number | undefined;
}

/** A mix and the engine that it runs on. */
export interface Mix {
  readonly members: readonly Member[];
  readonly chunkRows: number;
  readonly maxSequences: number;
  readonly speculation: boolean;
}

const VOCAB = 197;

/** A phrase that repeats itself: what speculation and shared prefixes live on. */
function prompt(base: number, length: number): number[] {
  return Array.from({ length }, (_, i) => (base * 41 + (i % 11) * 17) % VOCAB);
}

const sampling = fc.record({
  temperature: fc.constantFrom(0, 0.3, 1, 1.5),
  topP: fc.constantFrom(1, 0.9, 0.5),
  topK: fc.constantFrom(0, 1, 20),
  minP: fc.constantFrom(0, 0.05),
  seed: fc.integer({ min: -1000, max: 1000 }),
});

const member = fc
  .record({
    base: fc.nat(3),
    length: fc.integer({ min: 1, max: 150 }),
    maxTokens: fc.integer({ min: 1, max: 60 }),
    sampling,
    caller: fc.constantFrom('ada', 'bob', 'cyd'),
    group: fc.option(fc.nat(2), { nil: undefined }),
    arrivesAtStep: fc.nat(30),
    cancelAfter: fc.option(fc.nat(20), { nil: undefined, freq: 4 }),
  })
  .map(({ base, length, group, arrivesAtStep, cancelAfter, ...rest }): Member => {
    // A group is one prompt.
    const promptTokenIds = group === undefined ? prompt(base, length) : prompt(group, 70 + group * 13);
    const request = {
      ...rest,
      promptTokenIds,
      stopTokenIds: [3],
      ignoreStop: false,
      ...(group !== undefined && { group }),
    };
    return { request, arrivesAtStep, cancelAfter };
  });

/** Mixes of up to `size` sequences. */
export function mixes(size: number): fc.Arbitrary<Mix> {
  return fc.record({
    members: fc.array(member, { minLength: 1, maxLength: size, size: 'max' }),
    chunkRows: fc.constantFrom(1, 7, 32, 64),
    maxSequences: fc.constantFrom(1, 3, 16),
    speculation: fc.boolean(),
  });
}

function createEngine(
  model: TinyModel,
  settings: Partial<EngineSettings>,
  limits: { chunkRows: number; maxSequences: number },
): Engine {
  const { contextLength, vocabSize } = model.config;
  const all = { maxRows: 64, maxWaiting: 1000, ...limits };
  return new Engine(model.device, { contextLength, vocabSize, limits: all, ...settings });
}

/** Tokens of each member when the mix runs together; `afterStep` sees the engine after every step. */
export function runMix(model: TinyModel, mix: Mix, afterStep: (engine: Engine) => void): number[][] {
  const engine = createEngine(model, { speculation: mix.speculation }, mix);
  const tokens = mix.members.map((): number[] => []);
  const ended = new Set<number>();
  for (let step = 0; step <= 30 || engine.hasWork; step++) {
    if (step > 100_000) throw new Error('the mix does not end');
    mix.members.forEach(({ request, arrivesAtStep }, id) => {
      if (arrivesAtStep === step) engine.add(id, request, []);
    });
    const outputs: StepOutput[] = [];
    engine.step(outputs);
    for (const { sequenceId, tokenId, error } of outputs) {
      if (error !== undefined) throw error;
      if (ended.has(sequenceId)) continue;
      if (tokenId !== undefined) tokens[sequenceId]?.push(tokenId);
      const { cancelAfter = Infinity } = mix.members[sequenceId] ?? {};
      if ((tokens[sequenceId]?.length ?? 0) <= cancelAfter) continue;
      ended.add(sequenceId);
      engine.cancel(sequenceId);
    }
    afterStep(engine);
  }
  return tokens;
}

/** Tokens of each member when it has the engine to itself, without speculation. */
export function runAlone(model: TinyModel, mix: Mix): number[][] {
  return mix.members.map(({ request, cancelAfter = Infinity }) => {
    const engine = createEngine(model, { speculation: false }, { chunkRows: 64, maxSequences: 16 });
    engine.add(1, request, []);
    const tokens: number[] = [];
    while (engine.hasWork && tokens.length <= cancelAfter) {
      const outputs: StepOutput[] = [];
      engine.step(outputs);
      for (const { tokenId } of outputs) if (tokenId !== undefined) tokens.push(tokenId);
    }
    return tokens;
  });
}
