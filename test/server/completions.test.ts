import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TextCompletion, TextCompletionChunk } from '../../src/api/index.js';
import { offencesOf } from './openai-schemas.js';
import { readChunks, startServing, type Serving } from './serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const PROMPT = 'The capital of Norway is';

async function complete(request: object): Promise<TextCompletion> {
  const response = await serving.post('/v1/completions', { model: 'demo', ...request });
  expect(response.status).toBe(200);
  const body = (await response.json()) as TextCompletion;
  expect(offencesOf('CreateCompletionResponse', body)).toEqual([]);
  return body;
}

async function stream(request: object): Promise<TextCompletionChunk[]> {
  const response = await serving.post('/v1/completions', { model: 'demo', stream: true, ...request });
  expect(response.status).toBe(200);
  return readChunks<TextCompletionChunk>(response);
}

const requests: readonly (readonly [string, { prompt: unknown; n?: number }])[] = [
  ['a text', { prompt: PROMPT }],
  ['token ids', { prompt: [5, 6, 7] }],
  ['several texts', { prompt: [PROMPT, 'One two', 'hello'] }],
  ['several lists of ids', { prompt: [[5, 6, 7], [8]] }],
  ['two choices of two prompts', { prompt: [PROMPT, 'hello'], n: 2 }],
];

describe('POST /v1/completions', () => {
  it.each(requests)('continues %s, whole and streamed alike, and prompt by prompt', async (_, request) => {
    const fields = { ...request, seed: 4, max_tokens: 12 };
    const whole = await complete(fields);
    const chunks = await stream({ ...fields, stream_options: { include_usage: true } });
    const texts = whole.choices.map(() => '');
    const reasons = whole.choices.map((): string | null => null);
    for (const { choices } of chunks) {
      for (const { index, text, finish_reason: reason } of choices) {
        texts[index] += text;
        reasons[index] = reason;
      }
    }
    expect(texts).toEqual(whole.choices.map(({ text }) => text));
    expect(reasons).toEqual(whole.choices.map(({ finish_reason: reason }) => reason));
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(whole.usage.total_tokens);
    expect(whole.choices.map(({ index }) => index)).toEqual(whole.choices.map((_choice, i) => i));

    const prompts: unknown[] =
      Array.isArray(request.prompt) && typeof request.prompt[0] !== 'number' ? request.prompt : [request.prompt];
    const alone = await Promise.all(prompts.map(async (prompt) => complete({ ...fields, prompt })));
    expect(alone.flatMap(({ choices }) => choices.map(({ text }) => text))).toEqual(
      whole.choices.map(({ text }) => text),
    );
    const sum = alone.reduce((total, { usage }) => total + usage.prompt_tokens, 0);
    expect(whole.usage.prompt_tokens).toBe(sum);
  });

  it('continues a text and its ids alike', async () => {
    const tokenizer = serving.host.openModels()[0]?.tokenizer;
    const ids = [...(tokenizer?.encode(PROMPT) ?? [])];
    const [text, tokens] = await Promise.all([
      complete({ prompt: PROMPT, seed: 2 }),
      complete({ prompt: ids, seed: 2 }),
    ]);
    expect(tokens.choices).toEqual(text.choices);
    expect(tokens.usage.prompt_tokens).toBe(ids.length);
  });

  it('makes sixteen tokens by default', async () => {
    const { usage } = await complete({ prompt: PROMPT, ignore_eos: true });
    expect(usage.completion_tokens).toBe(16);
  });

  it('gives the prompt back with echo, alone where no tokens are asked for', async () => {
    const request = { prompt: PROMPT, temperature: 0, max_tokens: 3 };
    const [plain, echoed, only] = await Promise.all([
      complete(request),
      complete({ ...request, echo: true }),
      complete({ ...request, echo: true, max_tokens: 0 }),
    ]);
    expect(echoed.choices[0]?.text).toBe(PROMPT + (plain.choices[0]?.text ?? ''));
    expect(only.choices[0]).toEqual({ index: 0, text: PROMPT, logprobs: null, finish_reason: 'length' });
    expect(only.usage.completion_tokens).toBe(0);
    const chunks = await stream({ ...request, echo: true });
    expect(chunks.map(({ choices }) => choices[0]?.text).join('')).toBe(echoed.choices[0]?.text);
  });

  it('ends at stop strings and at the model’s own end', async () => {
    const text =
      (await complete({ prompt: PROMPT, temperature: 0, max_tokens: 12, ignore_eos: true })).choices[0]?.text ?? '';
    const stop = text.slice(4, 7);
    const stopped = await complete({ prompt: PROMPT, temperature: 0, max_tokens: 12, ignore_eos: true, stop });
    expect(stopped.choices[0]).toMatchObject({ text: text.slice(0, text.indexOf(stop)), finish_reason: 'stop' });
  });

  it('tells logprobs as four lists whose tokens are the text, streamed alike', async () => {
    const request = { prompt: PROMPT, seed: 9, max_tokens: 10, logprobs: 3 };
    const { choices } = await complete(request);
    const { text, logprobs } = choices[0] ?? {};
    expect(logprobs?.tokens.join('')).toBe(text);
    expect(logprobs?.text_offset).toEqual(logprobs?.tokens.map((_, i) => logprobs.tokens.slice(0, i).join('').length));
    expect(logprobs?.top_logprobs.every((top) => Object.keys(top).length <= 3)).toBe(true);
    expect(logprobs?.token_logprobs.every((value) => value <= 0)).toBe(true);
    const pieces = (await stream(request)).flatMap(({ choices: [choice] }) => choice?.logprobs ?? []);
    expect(pieces.flatMap(({ tokens }) => tokens)).toEqual(logprobs?.tokens);
    expect(pieces.flatMap(({ text_offset: offsets }) => offsets)).toEqual(logprobs?.text_offset);
    expect(pieces.flatMap(({ token_logprobs: values }) => values)).toEqual(logprobs?.token_logprobs);
  });
});
