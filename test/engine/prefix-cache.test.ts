import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Engine, type StepOutput } from '../../src/engine/engine.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';

const VOCAB = 197;

function text(seed: number, length: number): number[] {
  return Array.from({ length }, (_, i) => (seed * 31 + i * 17) % VOCAB);
}

function ask(promptTokenIds: readonly number[], rest: Partial<GenerateRequest> = {}): GenerateRequest {
  const sampling = { temperature: 0, seed: 0 };
  return { promptTokenIds, maxTokens: 8, sampling, stopTokenIds: [], ignoreStop: true, ...rest };
}

describe('prefix cache', () => {
  let model: TinyModel;
  /** The same model in a memory of its own. */
  let other: TinyModel;
  let engine: Engine;
  let lastId = 0;

  beforeAll(async () => {
    [model, other] = [await createTinyModel(), await createTinyModel()];
  });

  beforeEach(() => {
    engine = createEngine(model);
  });

  function createEngine({ device, config }: TinyModel): Engine {
    const { contextLength, vocabSize } = config;
    const limits = { maxRows: 64, chunkRows: 64, maxSequences: 16, maxWaiting: 32 };
    return new Engine(device, { contextLength, vocabSize, limits });
  }

  /** The tokens of an answer, and how many of its prompt's were found. */
  function answer(request: GenerateRequest, on = engine): { tokens: number[]; cached: number | undefined } {
    const outputs: StepOutput[] = [];
    on.add(++lastId, request, []);
    while (on.hasWork) on.step(outputs);
    expect(on.stats.freeBlocks).toBe(on.stats.blocks);
    return { tokens: outputs.flatMap(({ tokenId }) => tokenId ?? []), cached: outputs[0]?.cachedTokens };
  }

  it('goes on where the last turn ended, in the middle of a block, with the tokens that it has from nothing', () => {
    const first = text(1, 40);
    const { tokens } = answer(ask(first));
    const next = [...first, ...tokens, ...text(2, 5)];
    const again = answer(ask(next));
    // Of the last token of an answer nothing was computed: it came out.
    expect(again.cached).toBe(first.length + tokens.length - 1);
    expect(again.tokens).toEqual(answer(ask(next), createEngine(other)).tokens);
  });

  it('lends the beginning of a block to the caller that computed it alone, and whole blocks to all', () => {
    const prompt = text(3, 50);
    answer(ask(prompt, { caller: 'ada' }));
    expect(answer(ask(prompt, { caller: 'bob' })).cached).toBe(32);
    expect(answer(ask(prompt, { caller: 'ada' })).cached).toBe(49);
    expect(answer(ask(prompt, { caller: 'bob' })).cached).toBe(49);
  });

  it('takes the block that has most in common', () => {
    const prompt = text(4, 20);
    answer(ask([...prompt.slice(0, 5), ...text(5, 20)]));
    answer(ask([...prompt.slice(0, 11), ...text(6, 9)]));
    answer(ask([...prompt.slice(0, 2), ...text(7, 9)]));
    expect(answer(ask(prompt)).cached).toBe(11);
  });

  it('keeps one block for a conversation that grows, and one for what is asked twice', () => {
    const prompt = text(8, 10);
    for (let turn = 0; turn < 3; turn++) answer(ask(prompt, { maxTokens: 2 + turn }));
    for (let turn = 0; turn < 3; turn++) answer(ask(prompt, { maxTokens: 3 }));
    expect(engine.stats.cachedBlocks).toBe(1);
  });

  it('remembers what a sequence had computed that was cancelled', () => {
    const prompt = text(9, 30);
    engine.add(++lastId, ask(prompt), []);
    engine.step([]);
    engine.cancel(lastId);
    expect(answer(ask(prompt)).cached).toBe(29);
  });

  it('never takes the place of what choices share, whichever of them ends first', () => {
    const prompt = text(10, 40);
    const alone = [3, 30].map((maxTokens) => answer(ask(prompt, { maxTokens }), createEngine(other)).tokens);
    for (const order of [
      [3, 30],
      [30, 3],
    ]) {
      const crowd = createEngine(model);
      const outputs: StepOutput[] = [];
      order.forEach((maxTokens, i) => crowd.add(i, ask(prompt, { maxTokens, group: 1, caller: `caller ${i}` }), []));
      while (crowd.hasWork) crowd.step(outputs);
      order.forEach((maxTokens, i) => {
        const tokens = outputs.flatMap(({ sequenceId, tokenId }) => (sequenceId === i ? (tokenId ?? []) : []));
        expect(tokens).toEqual(alone[maxTokens === 3 ? 0 : 1]);
        const next = [...prompt, ...tokens, 1, 2];
        expect(answer(ask(next, { caller: `caller ${i}` }), crowd).tokens).toEqual(
          answer(ask(next), createEngine(other)).tokens,
        );
      });
    }
  });
});
