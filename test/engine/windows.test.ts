// Layers that see a window give the blocks behind it back while a sequence goes on, and have a pool of their own.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineCore } from '../../src/engine/engine.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import { MIXED_KINDS, mixKinds } from '../support/mixed-kinds.js';
import { createTinyModel, TINY_GEMMA3, type TinyModel, type TinyOptions } from '../support/tiny-model.js';
import { startTinyThreadGroup } from '../support/tiny-thread-group.js';
import { ask, createEngine, text } from './greedy.js';
import { mixes, runAlone, runMix } from './mixes.js';

const WINDOW = 40;
/** Blocks of one sequence in the pool of the window: 40 tokens and 64 rows of a step, and two more. */
const SPAN = 6;

let lastId = 0;

/** The tokens of a request, and how many of its prompt's were found. */
function answer(engine: EngineCore, request: GenerateRequest): { tokens: number[]; cached: number | undefined } {
  const outputs: StepOutput[] = [];
  engine.add(++lastId, request, []);
  while (engine.hasWork) engine.step(outputs);
  return { tokens: outputs.flatMap(({ tokenId }) => tokenId ?? []), cached: outputs[0]?.cachedTokens };
}

const kinds: readonly (readonly [string, TinyOptions])[] = [
  ['gemma3', { config: TINY_GEMMA3 }],
  ['all kinds of state', { config: MIXED_KINDS, change: mixKinds }],
];

describe.each(kinds)('blocks behind a window: %s', (_, options) => {
  /** All its layers keep all tokens. */
  let whole: TinyModel;
  const withWindow = (blocks: number, kvBlocks = 64): TinyOptions => {
    const capacity = { kvBlocks, windows: [{ window: WINDOW, blocks }] };
    return { ...options, capacity, weightsOf: whole };
  };

  beforeAll(async () => {
    whole = await createTinyModel(options);
  });

  it.each([
    [SPAN, 12],
    [9, 64],
    [40, 40],
  ])('change no token in random mixes, with %i blocks of the window and %i others', async (blocks, kvBlocks) => {
    const model = await createTinyModel(withWindow(blocks, kvBlocks));
    await using threadGroup = await startTinyThreadGroup(withWindow(blocks, kvBlocks));
    fc.assert(
      fc.property(mixes(15), fc.boolean(), (mix, isShared) => {
        const together = runMix(isShared ? threadGroup : model, mix, (engine) => {
          const { blocks: all, freeBlocks } = engine.stats;
          if (!engine.hasWork) expect(freeBlocks).toBe(all);
        });
        expect(together).toEqual(runAlone(whole, mix));
      }),
      { numRuns: 3 },
    );
  });

  it('are not held: a whole context takes no more than a window and a step', async () => {
    const engine = createEngine(await createTinyModel(withWindow(SPAN, 8)));
    const request = ask(text(1, 120), { maxTokens: 136 });
    expect(answer(engine, request).tokens).toEqual(answer(createEngine(whole), request).tokens);
    expect(engine.stats.freeBlocks).toBe(8 + SPAN);
  });

  it('of a scored prompt are those of its next part', async () => {
    // As bits: a diff of so many numbers takes minutes.
    const logitsOf = (engine: EngineCore): Buffer => {
      const parts = engine.forward(text(2, 250));
      for (;;) {
        const { done, value } = parts.next();
        if (done === true) return Buffer.from(value.buffer);
      }
    };
    const engine = createEngine(await createTinyModel(withWindow(SPAN, 8)));
    expect(logitsOf(engine).equals(logitsOf(createEngine(whole)))).toBe(true);
    expect(engine.stats.freeBlocks).toBe(8 + SPAN);
  });

  it('leave prefixes that end where the window is still there, and only these', async () => {
    const engine = createEngine(await createTinyModel(withWindow(SPAN + 2)));
    const fresh = createEngine(whole);
    const request = ask(text(3, 200), { maxTokens: 20 });
    const first = answer(engine, request);
    const again = answer(engine, request);
    // States of fixed size are known at ends of blocks only.
    expect([first.cached, again.cached]).toEqual([0, whole.plan.capacity.stateSlots > 0 ? 192 : 199]);
    expect(again.tokens).toEqual(first.tokens);
    // The pool had to take blocks that lay behind the window.
    for (const shared of [64, 150, 199]) {
      const other = ask([...text(3, shared), ...text(8, 20)]);
      const left = answer(engine, other);
      expect(left.tokens).toEqual(answer(fresh, other).tokens);
      expect(left.cached).toBeLessThanOrEqual(shared);
    }
    for (let seed = 10; seed < 14; seed++) answer(engine, ask(text(seed, 100)));
    const late = answer(engine, request);
    expect(late.cached).toBe(0);
    expect(late.tokens).toEqual(first.tokens);
  });
});
