import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineCore } from '../../src/engine/engine.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import { toCacheScope } from '../../src/engine/cache/cache-scope.js';
import { KvCache } from '../../src/engine/cache/kv-cache.js';
import { scoring, type GenerateRequest } from '../../src/engine/request.js';
import { RowKeys } from '../../src/engine/media/row-keys.js';
import { Sequence } from '../../src/engine/sequence.js';
import { atOnce } from '../support/at-once.js';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';

const VOCAB = 197;

function text(seed: number, length: number): number[] {
  return Array.from({ length }, (_, i) => (seed * 31 + i * 17) % VOCAB);
}

function ask(promptTokenIds: readonly number[], rest: Partial<GenerateRequest> = {}): GenerateRequest {
  const sampling = { temperature: 0, seed: 0 };
  return { promptTokenIds, maxTokens: 8, sampling, stopTokenIds: [], ignoreStop: true, caller: 'ada', ...rest };
}

describe('prefix cache', () => {
  let model: TinyModel;
  /** The same model in a memory of its own. */
  let other: TinyModel;
  let engine: EngineCore;
  let lastId = 0;

  beforeAll(async () => {
    [model, other] = [await createTinyModel(), await createTinyModel()];
  });

  beforeEach(() => {
    engine = createEngine(model);
  });

  function createEngine({ device, config }: TinyModel): EngineCore {
    const { contextLength, vocabSize } = config;
    const limits = { maxRows: 64, chunkRows: 64, maxSequences: 16, maxWaiting: 32 };
    return new EngineCore(device, { contextLength, vocabSize, limits });
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
    answer(ask(prompt));
    expect(answer(ask(prompt, { caller: 'bob' })).cached).toBe(32);
    expect(answer(ask(prompt)).cached).toBe(49);
    expect(answer(ask(prompt, { caller: 'bob' })).cached).toBe(49);
    // Of what two have computed, the same block, each is lent the beginning.
    const asked = ask(text(14, 40), { maxTokens: 30 });
    const cached = ['cyd', 'dan', 'cyd', 'dan'].map((caller) => answer({ ...asked, caller }).cached);
    expect(cached).toEqual([0, 32, 39, 39]);
    // Requests without a caller may come from many.
    expect(answer(ask(prompt, { caller: '' })).cached).toBe(32);
    expect(answer(ask(prompt, { caller: '' })).cached).toBe(32);
  });

  it('lends nothing across scopes, neither whole blocks nor the beginning of one', () => {
    const prompt = text(15, 80);
    const [first, second] = [toCacheScope('one'), toCacheScope('other')];
    const asked = {
      common: ask(prompt),
      one: ask(prompt, { cacheScope: first }),
      other: ask(prompt, { cacheScope: second }),
    };
    const { tokens, cached } = answer(asked.common);
    expect(cached).toBe(0);
    for (const request of [asked.one, asked.other]) expect(answer(request)).toEqual({ tokens, cached: 0 });
    for (const request of [asked.common, asked.one, asked.other]) {
      expect(answer(request)).toEqual({ tokens, cached: 79 });
      // Whole blocks are all callers' of the scope.
      expect(answer({ ...request, caller: 'bob' })).toEqual({ tokens, cached: 64 });
    }
  });

  it('is the same in a scope after a preemption and a fork', () => {
    const cacheScope = toCacheScope('salt');
    const prompt = text(16, 70);
    const outputs: StepOutput[] = [];
    for (const id of [900, 901, 902]) engine.add(id, ask(prompt, { cacheScope, group: 7, maxTokens: 20 }), []);
    while (engine.hasWork) engine.step(outputs);
    const of = (id: number): unknown[] =>
      outputs.filter(({ sequenceId }) => sequenceId === id).map(({ tokenId }) => tokenId);
    expect(of(901)).toEqual(of(900));
    expect(answer(ask(prompt, { maxTokens: 20 })).cached).toBe(0);
    expect(answer(ask(prompt, { maxTokens: 20, cacheScope })).cached).toBe(69);
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

  it('keeps no beginning of a prompt that never continues: an embedding, a scored prompt', () => {
    answer({ ...scoring(text(11, 20)), caller: 'ada', pooling: 'mean' });
    atOnce(engine.forward(text(12, 50)));
    expect(engine.stats.cachedBlocks).toBe(0);
  });

  it('lends no block that a fork still writes', () => {
    const copied: string[] = [];
    const cache = new KvCache(8, (from, to) => copied.push(`${from} to ${to}`));
    const sequences = [0, 1].map(
      (id) => new Sequence(id, ask(text(13, 40)), [], { vocabSize: VOCAB, nowMs: 0, rowKeys: new RowKeys() }),
    );
    const [first, fork] = sequences as [Sequence, Sequence];
    expect(cache.admit(first, [])).toBe(true);
    expect(cache.reserve(first, 40)).toBe(true);
    first.numComputed = 40;
    expect(cache.fork(first, fork, [first])).toBe(true);
    // It leaves before it wrote anything: its last block is the other's, who goes on writing there.
    cache.retire(fork);
    expect(cache.stats.cachedBlocks).toBe(1);
    expect(cache.reserve(first, 1)).toBe(true);
    expect(copied).toEqual([]);
    cache.retire(first);
    expect(cache.stats.cachedBlocks).toBe(2);
    const next = new Sequence(2, ask([...text(13, 40), 1]), [], { vocabSize: VOCAB, nowMs: 0, rowKeys: new RowKeys() });
    expect(cache.admit(next, [])).toBe(true);
    expect([next.numComputed, copied.length]).toEqual([40, 1]);
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
