import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmbedder } from '../../src/completion/embedder.js';
import { killAtMessage } from '../../src/actor/faults.js';
import { openDemo, PATIENT, type Demo } from '../faults/demo.js';

const TEXTS = Array.from({ length: 40 }, (_, i) => `What is the capital of Norway, and ${'what of it '.repeat(i)}?`);

function norm(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

describe.each([
  ['thread', 2],
  ['inline', 1],
] as const)('embeddings of the library, placement %s', (placement, threads) => {
  let demo: Demo;
  let alone: Float32Array[];

  const expectIdle = async (): Promise<void> => {
    const { running, waiting, freeBlocks, blocks } = await demo.opened.client.stats();
    expect({ running, waiting, freeBlocks }).toEqual({ running: 0, waiting: 0, freeBlocks: blocks });
  };

  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);

  beforeAll(async () => {
    process.on('warning', note);
    demo = await openDemo({ placement, threads, restarts: PATIENT });
    alone = [];
    for (const text of TEXTS) alone.push(...(await demo.model.embed(text)).embeddings);
  });

  afterAll(async () => {
    await demo[Symbol.asyncDispose]();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('are one vector of length 1 for each text, and count its tokens', async () => {
    const { embeddings, promptTokens } = await demo.model.embed(TEXTS);
    expect(embeddings).toEqual(alone);
    for (const vector of embeddings) expect(norm(vector)).toBeCloseTo(1, 6);
    expect(new Set(embeddings.map(String)).size).toBe(TEXTS.length);
    const counts = TEXTS.map((text) => demo.model.tokenizer.encode(text).length);
    expect(promptTokens).toBe(counts.reduce((sum, count) => sum + count, 0));
  });

  it('are the plain mean where that is asked for', async () => {
    const { embeddings } = await demo.model.embed(TEXTS, { normalize: false });
    embeddings.forEach((mean, index) => {
      const length = norm(mean);
      expect(Math.abs(length - 1)).toBeGreaterThan(0.01);
      expect(mean.map((value) => value / length)).toEqual(alone[index]);
    });
  });

  it('are the same of a text and of its ids, in any array of numbers', async () => {
    const ids = demo.model.tokenizer.encode(TEXTS[7] as string);
    const { embeddings } = await demo.model.embed([ids, Int32Array.from(ids), TEXTS[7] as string]);
    expect(embeddings).toEqual([alone[7], alone[7], alone[7]]);
  });

  it('are the same beside conversations, which have the answers that they have alone', async () => {
    const requests = Array.from({ length: 10 }, (_, i) => ({
      messages: [{ role: 'user' as const, content: `What is ${10 + i} + ${3 * i}?` }],
      seed: i,
    }));
    const [{ embeddings }, ...answers] = await Promise.all([
      demo.model.embed(TEXTS),
      ...requests.map((request) => demo.model.chat(request)),
    ]);
    expect(embeddings).toEqual(alone);
    for (const [i, request] of requests.entries()) {
      expect((await demo.model.chat(request)).choices[0]?.message).toEqual(answers[i]?.choices[0]?.message);
    }
  });

  it('come of a list that is longer than the engine’s queue, a bounded number at once', async () => {
    let [now, most] = [0, 0];
    const embed = createEmbedder({
      contextLength: 1024,
      encode: async (text) => demo.model.tokenizer.encode(text),
      async embed(request, signal) {
        most = Math.max(most, ++now);
        const mean = await demo.opened.client.embed(request, signal);
        now--;
        return mean;
      },
    });
    const texts = ['One.', 'Two.', 'Three.'];
    const { embeddings: few } = await demo.model.embed(texts);
    const { embeddings } = await embed(Array.from({ length: 2048 }, (_, i) => texts[i % 3] as string));
    expect(most).toBe(32);
    expect(embeddings).toEqual(Array.from({ length: 2048 }, (_, i) => few[i % 3]));
  });

  it('refuse a caller with too long a name, and no input of it', async () => {
    await expect(demo.model.embed(['a'], { caller: 'x'.repeat(257) })).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringMatching(/^caller must be/),
      details: { field: 'caller' },
    });
  });

  it('fill the context, and no token more', async () => {
    const full = Array.from({ length: demo.model.contextLength }, (_, i) => i % 1500);
    expect((await demo.model.embed([full])).promptTokens).toBe(1024);
    await expect(demo.model.embed([TEXTS[0] as string, [...full, 1]])).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringContaining('input[1]'),
      details: { n_prompt_tokens: 1025, n_ctx: 1024, param: 'input', index: 1 },
    });
  });

  it.each([
    ['an empty list', [], 'invalid_value', 'input is'],
    ['an empty text', '', 'invalid_value', 'input[0]'],
    ['an empty text among others', ['a', ''], 'invalid_value', 'input[1]'],
    ['an empty list of ids', [[1], []], 'invalid_value', 'input[1]'],
    ['ids that are no list of lists', [1, 2], 'invalid_value', 'input[0]'],
    ['an id that is none', [[1], [1, 1536]], 'invalid_value', 'input[1]: promptTokenIds[1]'],
    ['no text at all', null, 'invalid_value', 'input is'],
    [
      'a text that the tokenizer’s thread encodes',
      ['a', 'one two three '.repeat(6000)],
      'context_length_exceeded',
      'input[1]',
    ],
  ])('refuse %s', async (_, input, code, where) => {
    const message = expect.stringContaining(where) as string;
    await expect(demo.model.embed(input as never)).rejects.toMatchObject({ code, message });
  });

  it('reject with the reason of an abort, before and in the middle, and leave nothing behind', async () => {
    const reason = new Error('enough');
    await expect(demo.model.embed(TEXTS, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const many = Array.from({ length: 2000 }, () => TEXTS[39] as string);
    const pending = demo.model.embed(many, { signal: controller.signal });
    await demo.model.embed(TEXTS[0] as string);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await expectIdle();
  });

  it('are given up together when one input is refused', async () => {
    const inputs = [...Array.from({ length: 500 }, () => TEXTS[39] as string), [-1]];
    await expect(demo.model.embed(inputs.toReversed())).rejects.toMatchObject({ code: 'invalid_value' });
    await expectIdle();
  });

  it.each([1, 20])('are the same when the engine dies at message %i', async (n) => {
    const fault = killAtMessage(demo.supervisor, 'engine', n, 'after');
    const { embeddings } = await demo.model.embed(TEXTS);
    expect(fault.fired).toBe(true);
    fault.clear();
    expect(embeddings).toEqual(alone);
  });

  it('end with engine_closed when the model is disposed of', async () => {
    const other = await openDemo({ placement, threads });
    const pending = other.model.embed(TEXTS);
    const settled = expect(pending).rejects.toMatchObject({ code: 'engine_closed' });
    await other[Symbol.asyncDispose]();
    await settled;
  });
});
