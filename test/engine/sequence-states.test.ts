// Models that keep states of fixed size beside keys and values: short convolutions, recurrences.
import { beforeAll, describe, expect, it } from 'vitest';
import { toCacheScope } from '../../src/engine/cache/cache-scope.js';
import { StateSlots } from '../../src/engine/cache/state-slots.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import { createTinyModel, tinyFamilies, type TinyModel, type TinyOptions } from '../support/tiny-model.js';
import { answers, ask, createEngine, text } from './greedy.js';

const families = tinyFamilies
  .filter(([name]) => ['lfm2', 'qwen3_5'].includes(name))
  .map(([name, config]) => ({ name, config }));

describe.each(families)('states of fixed size in $name', ({ config }) => {
  let model: TinyModel;
  const create = (options: TinyOptions = {}): Promise<TinyModel> =>
    createTinyModel({ config, ...options, ...(model !== undefined && { weightsOf: model }) });

  beforeAll(async () => {
    model = await create();
  });

  it('the same request again goes on at the last block of its prompt, with the same tokens', async () => {
    const engine = createEngine(model);
    const fresh = createEngine(await create());
    for (const length of [33, 64, 65, 100]) {
      const request = ask(text(length, length));
      const [first] = answers(engine, request);
      const [again] = answers(engine, request);
      expect([first?.cached, again?.cached]).toEqual([0, Math.floor((length - 1) / 32) * 32]);
      expect(again?.tokens).toEqual(first?.tokens);
      expect(answers(fresh, request)[0]?.tokens).toEqual(first?.tokens);
    }
  });

  it('a second turn goes on in the answer of the first, and one that leaves a prompt early at a power of two', async () => {
    const engine = createEngine(model);
    const fresh = createEngine(await create());
    const prompt = text(3, 70);
    const [first] = answers(engine, ask(prompt, { maxTokens: 40 }));
    const next = ask([...prompt, ...(first?.tokens ?? []), ...text(5, 9)]);
    const [turn] = answers(engine, next);
    expect(turn?.cached).toBe(96);
    expect(turn?.tokens).toEqual(answers(fresh, next)[0]?.tokens);
    for (const shared of [64, 70]) {
      const other = ask([...prompt.slice(0, shared), ...text(8, 20)]);
      const [left] = answers(engine, other);
      expect(left?.cached).toBeGreaterThanOrEqual(32);
      expect(left?.tokens).toEqual(answers(fresh, other)[0]?.tokens);
    }
  });

  it('stay within a salt', () => {
    const engine = createEngine(model);
    const [one, other] = ['one', 'other'].map((salt) => ask(text(4, 80), { cacheScope: toCacheScope(salt) }));
    if (one === undefined || other === undefined) throw new Error('two scopes');
    answers(engine, one);
    expect(answers(engine, other)[0]?.cached).toBe(0);
    expect(answers(engine, one)[0]?.cached).toBe(64);
  });

  it.each([4, 5, 17])(
    '20 sequences at once have the tokens that each has alone, with %i slots and few blocks',
    async (stateSlots) => {
      const requests = Array.from({ length: 20 }, (_, i) => ask(text(i % 3, 20 + 3 * i), { maxTokens: 30 }));
      const alone = createEngine(await create());
      const crowd = createEngine(await create({ capacity: { stateSlots, kvBlocks: 12 } }));
      const { blocks } = crowd.stats;
      expect(answers(crowd, ...requests).map(({ tokens }) => tokens)).toEqual(
        requests.map((request) => answers(alone, request)[0]?.tokens),
      );
      expect(crowd.stats).toMatchObject({ blocks, freeBlocks: blocks });
    },
  );

  it('are recomputed with the same bits for the tokens of an earlier engine', async () => {
    const request = ask(text(6, 50), { maxTokens: 45 });
    const [whole] = answers(createEngine(model), request);
    const tokens = whole?.tokens ?? [];
    const outputs: StepOutput[] = [];
    const engine = createEngine(await create());
    engine.add(1, request, tokens.slice(0, 33));
    while (engine.hasWork) engine.step(outputs);
    expect(outputs.flatMap(({ tokenId }) => tokenId ?? [])).toEqual(tokens.slice(33));
  });
});

describe('slots of states', () => {
  it('evict the least recently used checkpoint, never one that is copied, and hand out no slot twice', () => {
    const copies: string[] = [];
    const slots = new StateSlots(3, (from, to) => copies.push(`${from} to ${to}`));
    const [a, b] = [slots.open(undefined), slots.take()];
    slots.keep('one', b ?? -1);
    const c = slots.take();
    slots.keep('two', c ?? -1);
    expect(new Set([a, b, c])).toEqual(new Set([0, 1, 2]));
    // The oldest checkpoint is the one that is asked for: the other one goes.
    const own = slots.open('one');
    expect(own).toBe(c);
    expect(copies).toEqual([`undefined to ${a}`, `${b} to ${c}`]);
    expect([slots.has('one'), slots.has('two')]).toEqual([true, false]);
    expect(slots.take()).toBe(b);
    expect(slots.take()).toBeUndefined();
    slots.release(a ?? -1);
    expect(slots.open('gone')).toBe(a);
  });
});
