import { afterAll, assert, beforeAll, describe, expect, it } from 'vitest';
import type { SequenceOutput, TokenLogprobs } from '../../src/engine/index.js';
import type { ChatCompletionChunk, ChatCompletionRequest, Model } from '../../src/index.js';
import { openDemo, type Demo } from '../faults/demo.js';

const OSLO: ChatCompletionRequest = {
  messages: [{ role: 'user', content: 'What is the capital of Norway?' }],
  temperature: 0,
};
const STORY: ChatCompletionRequest = { messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 24 };
const IDS = Array.from({ length: 40 }, (_, i) => (i * 37) % 1500);
/** A prompt that shares no beginning with the others'. */
const OTHER_IDS = IDS.map((id) => id + 1);

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Log-softmax of one row of logits, in double precision. */
function logSoftmax(logits: Float32Array): Float64Array {
  const max = logits.reduce((a, b) => Math.max(a, b));
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - max), 0);
  return Float64Array.from(logits, (logit) => logit - max - Math.log(sum));
}

describe('what the library and the wire reach of the engine', () => {
  let demo: Demo;
  let model: Model;

  beforeAll(async () => {
    demo = await openDemo();
    model = demo.model;
  });

  afterAll(async () => demo[Symbol.asyncDispose]());

  /** The log-softmax of `forward` at each place of `completion` behind `prompt`. */
  async function scored(prompt: readonly number[], completion: readonly number[]): Promise<Float64Array[]> {
    const logits = await model.forward([...prompt, ...completion]);
    return completion.map((_, i) => {
      const row = prompt.length - 1 + i;
      return logSoftmax(logits.subarray(row * model.vocabSize, (row + 1) * model.vocabSize));
    });
  }

  function expectLogprobs(told: TokenLogprobs, tokenId: number, row: Float64Array): void {
    expect(told.logprob).toBeCloseTo(row[tokenId] ?? 0, 4);
    const likeliest = Array.from(row).toSorted((a, b) => b - a);
    for (const [i, one] of told.top.entries()) {
      expect(one.logprob).toBeCloseTo(row[one.tokenId] ?? 0, 4);
      expect(one.logprob).toBeCloseTo(likeliest[i] ?? 0, 4);
    }
  }

  it('generate follows a constraint', async () => {
    const constraint = {
      kind: 'automaton' as const,
      states: [[[100, 1] as const, [200, 1] as const], [[300, 2] as const], []],
    };
    const ids = await collect(model.generate({ promptTokenIds: OTHER_IDS, maxTokens: 20, seed: 3, constraint }));
    expect([
      [100, 300],
      [200, 300],
    ]).toContainEqual(ids);
    const refused = collect(
      model.generate({ promptTokenIds: IDS, maxTokens: 2, constraint: { kind: 'automaton', states: [] } }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'invalid_value' });
  });

  it('stats tells what the engine does', async () => {
    const running = model.generate({ promptTokenIds: OTHER_IDS, maxTokens: 900, ignoreStop: true });
    let stats = await model.stats();
    let seen = 0;
    for await (const _ of running) if (++seen === 400) stats = await model.stats();
    expect(stats).toMatchObject({ running: 1, waiting: 0 });
    assert(stats);
    expect(stats.blocks - stats.freeBlocks).toBeGreaterThanOrEqual(13);
    expect(stats.tokensPerSecond).toBeGreaterThan(0);
    expect(stats.stepMs).toBeGreaterThan(0);
    expect(stats.accepted).toBeLessThanOrEqual(stats.drafted);
    expect(await model.stats()).toMatchObject({ running: 0 });
  });

  it('forward that is aborted gives its blocks back after the part that it is in', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const idsOf = (length: number): number[] => Array.from({ length }, (_, i) => (i * 31) % 1500);
    // Sixteen parts.
    const aborted = expect(model.forward(idsOf(1000), { signal: controller.signal })).rejects.toBe(reason);
    // Asked for behind it, which first waits for a lease.
    await new Promise((resolve) => setImmediate(resolve));
    const asked = model.stats();
    controller.abort(reason);
    await aborted;
    const during = await asked;
    assert(during);
    expect(during.blocks - during.freeBlocks).toBeGreaterThanOrEqual(32);
    // Three parts behind the abort, in turns with what is left of the other's.
    await model.forward(idsOf(150));
    const after = await model.stats();
    assert(after);
    expect(after.freeBlocks).toBe(after.blocks);
  });

  it('generateOutputs gives logprobs that are the log-softmax of forward’s logits, and why it ended', async () => {
    const request = { promptTokenIds: IDS, maxTokens: 20, seed: 3, ignoreStop: true, logprobs: 4 };
    const outputs = await collect(model.generateOutputs({ ...request, repetitionPenalty: 1.3 }));
    const ids = outputs.flatMap(({ tokenIds }) => tokenIds);
    const logprobs = outputs.flatMap((output) => output.logprobs ?? []);
    expect([ids.length, logprobs.length]).toEqual([20, 20]);
    const rows = await scored(IDS, ids);
    rows.forEach((row, i) => {
      expect(logprobs[i]?.top).toHaveLength(4);
      expectLogprobs(logprobs[i] as TokenLogprobs, ids[i] ?? -1, row);
    });
    expect(outputs.map(({ finishReason }) => finishReason).filter((reason) => reason !== undefined)).toEqual([
      'length',
    ]);
    expect(outputs[0]?.cachedTokens).toBe(0);
    expect(await collect(model.generate({ ...request, repetitionPenalty: 1.3 }))).toEqual(ids);
  });

  it('chat gives the logprobs of its content, streamed and whole alike', async () => {
    const request: ChatCompletionRequest = { ...OSLO, logprobs: true, top_logprobs: 3 };
    const answer = await model.chat(request);
    const entries = answer.choices[0]?.logprobs?.content ?? [];
    const content = answer.choices[0]?.message.content ?? '';
    expect(content).toContain('Oslo');
    expect(entries.flatMap(({ bytes }) => bytes)).toEqual([...Buffer.from(content)]);
    const prompt = model.tokenizer.encode(await model.renderChat(OSLO.messages, { addGenerationPrompt: true }), {
      addSpecialTokens: false,
    });
    const ids = model.tokenizer.encode(content, { addSpecialTokens: false });
    expect(entries.map(({ token }) => token)).toEqual(ids.map((id) => model.tokenizer.decode([id])));
    const rows = await scored(prompt, ids);
    entries.forEach((entry, i) => {
      expect(entry.logprob).toBeCloseTo(rows[i]?.[ids[i] ?? -1] ?? 0, 4);
      // Greedy: the token itself is the likeliest.
      expect(entry.top_logprobs[0]).toEqual({ token: entry.token, logprob: entry.logprob, bytes: entry.bytes });
      expect(entry.top_logprobs).toHaveLength(3);
    });
    const chunks: ChatCompletionChunk[] = await collect(model.stream(request));
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? [])).toEqual(entries);
  });

  it('n choices share their prompt, and the first is what n 1 gives', async () => {
    const outputs: SequenceOutput[] = [];
    const { client } = demo.opened;
    const generate = client.generate.bind(client);
    client.generate = async function* (...args) {
      for await (const output of generate(...args)) {
        outputs.push(output);
        yield output;
      }
    };
    const request = { ...STORY, seed: 5, temperature: 1.5 };
    const together = await model.chat({ ...request, n: 4 });
    client.generate = generate;
    const { prompt_tokens: promptTokens, prompt_tokens_details: details } = together.usage;
    const cached = outputs.flatMap(({ cachedTokens }) => cachedTokens ?? []).toSorted((a, b) => a - b);
    expect(cached).toEqual([details.cached_tokens, promptTokens - 1, promptTokens - 1, promptTokens - 1]);
    expect(details.cached_tokens).toBeLessThan(promptTokens - 1);
    const texts = together.choices.map(({ message }) => message.content ?? '');
    expect(new Set(texts).size).toBe(4);
    const alone = await model.chat(request);
    expect(texts[0]).toBe(alone.choices[0]?.message.content);
    const streamed = ['', '', '', ''];
    for await (const { choices } of model.stream({ ...request, n: 4 })) {
      for (const { index, delta } of choices) streamed[index] += delta.content ?? '';
    }
    expect(streamed).toEqual(texts);
    expect((await client.stats()).running).toBe(0);
  });

  it('a banned token does not come, and a stop id or a stop string ends the answer', async () => {
    const [first = -1] = model.tokenizer.encode('Oslo', { addSpecialTokens: false });
    const greedy = await collect(model.generate({ promptTokenIds: IDS, maxTokens: 8, temperature: 0 }));
    const banned = greedy[0] ?? -1;
    const others = model.generate({
      promptTokenIds: IDS,
      maxTokens: 8,
      temperature: 0,
      logitBias: [[banned, -Infinity]],
    });
    expect(await collect(others)).not.toContain(banned);
    const without = await model.chat({ ...OSLO, logit_bias: [[first, false]] });
    expect(model.tokenizer.encode(without.choices[0]?.message.content ?? '')).not.toContain(first);
    const stop = greedy[3] ?? -1;
    const stopping = { promptTokenIds: IDS, maxTokens: 8, temperature: 0, ignoreStop: true, stopTokenIds: [stop] };
    expect(await collect(model.generate(stopping))).toEqual(greedy.slice(0, greedy.indexOf(stop)));
    const kept = await model.chat({ ...OSLO, stop: 'Oslo', include_stop_str_in_output: true });
    expect(kept.choices[0]?.message.content).toMatch(/Oslo$/);
  });

  it('min_tokens and ignore_eos go past the end, DRY and the penalties change what comes', async () => {
    const short = await model.chat(OSLO);
    const atLeast = short.usage.completion_tokens + 5;
    const longer = await model.chat({ ...OSLO, min_tokens: atLeast, max_tokens: 60 });
    expect(longer.usage.completion_tokens).toBeGreaterThan(atLeast);
    const endless = await model.chat({ ...OSLO, ignore_eos: true, n_predict: 40 });
    expect(endless.usage.completion_tokens).toBe(40);
    expect(endless.choices[0]?.finish_reason).toBe('length');
    const text = async (fields: Partial<ChatCompletionRequest>): Promise<unknown> =>
      (await model.chat({ ...STORY, temperature: 0, ignore_eos: true, max_tokens: 150, ...fields })).choices[0]?.message
        .content;
    const neutral = await text({});
    expect(await text({ repetition_penalty: 1, presence_penalty: 0, dry_multiplier: 0, xtc_probability: 0 })).toBe(
      neutral,
    );
    expect(await text({ presence_penalty: 2, frequency_penalty: 2 })).not.toBe(neutral);
    expect(await text({ repetition_penalty: 2, repeat_last_n: -1 })).not.toBe(neutral);
    expect(await text({ dry_multiplier: 5, dry_allowed_length: 0, dry_sequence_breakers: [] })).not.toBe(neutral);
  });

  it('a deadline ends an answer, and who asks must be named within bounds', async () => {
    const late = { code: 'deadline_exceeded' };
    const long = { ...STORY, max_tokens: 900, ignore_eos: true };
    await expect(model.chat({ ...long, n: 2 }, { deadlineMs: 0.01, caller: 'me', priority: 1 })).rejects.toMatchObject(
      late,
    );
    const generating = { promptTokenIds: IDS, maxTokens: 900, ignoreStop: true };
    await expect(collect(model.generate({ ...generating, deadlineMs: 0.01 }))).rejects.toMatchObject(late);
    const places = [
      { caller: 'x'.repeat(257) },
      { priority: Number.NaN },
      { deadlineMs: 0 },
      { deadlineMs: '5000' as never },
    ];
    for (const place of places) {
      await expect(collect(model.generate({ ...generating, ...place }))).rejects.toMatchObject({
        code: 'invalid_value',
        details: { field: Object.keys(place)[0] },
      });
      await expect(model.chat(OSLO, place)).rejects.toMatchObject({ code: 'invalid_value' });
    }
    expect((await model.chat(OSLO)).choices[0]?.message.content).toContain('Oslo');
  });

  it.each([
    [{ promptTokenIds: undefined }, 'promptTokenIds'],
    [{ stopTokenIds: 2 }, 'stopTokenIds'],
    [{ temperature: 'hot' }, 'temperature'],
    [{ topP: '1' }, 'topP'],
    [{ logitBias: [5] }, 'logitBias[0]'],
    [{ stopTokenIds: [-1] }, 'stopTokenIds[0]'],
    [{ logprobs: 21 }, 'logprobs'],
    [{ logitBias: [[1536, 1]] }, 'logitBias[0][0]'],
    [{ dry: { base: 0 } }, 'dry.base'],
    [{ minTokens: 0.5 }, 'minTokens'],
  ])('generate refuses %j and names it', async (options, field) => {
    const request = { promptTokenIds: IDS, maxTokens: 5, ...(options as object) };
    await expect(collect(model.generate(request))).rejects.toMatchObject({ code: 'invalid_value', details: { field } });
  });

  it('names the limit in an error that can be read, however long the value', async () => {
    const logitBias = Array.from({ length: 5000 }, (_, id) => [id % 1536, 1] as const);
    const request = { promptTokenIds: IDS, maxTokens: 5, logitBias };
    const expected = 'logitBias is an array of 5000 items; it must be a list of at most 4096 pairs';
    await expect(collect(model.generate(request))).rejects.toThrow(expected);
  });

  it('refuses what is no list of ids, and what is no signal, in every call', async () => {
    await expect(model.forward(undefined as never)).rejects.toMatchObject({ details: { field: 'tokenIds' } });
    await expect(model.forward([-1])).rejects.toMatchObject({ details: { field: 'tokenIds[0]' } });
    const options = { signal: {} as never };
    await expect(model.chat(OSLO, options)).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(collect(model.stream(OSLO, options))).rejects.toMatchObject({ code: 'invalid_option' });
  });

  it('generate takes an option that is undefined or null as an absent one, and refuses unknown ones', async () => {
    const request = { promptTokenIds: IDS, maxTokens: 5, temperature: 0, ignoreStop: true };
    const odd = { ...request, topP: undefined, dry: null, seed: undefined };
    expect(await collect(model.generate(odd))).toEqual(await collect(model.generate(request)));
    const unknown = { ...request, onToken: () => {} };
    await expect(collect(model.generate(unknown))).rejects.toMatchObject({ code: 'invalid_option' });
  });
});
