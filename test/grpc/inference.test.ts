import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type Engine, type Model } from '../../src/embedding/index.js';
import type { ChatCompletion as HttpCompletion } from '../../src/api/index.js';
import { FinishReason, type Client } from '../../src/client/index.js';
import type { ChatChunk, ChatCompletion, ChatRequestInput, TokenLogprob } from '../../src/grpc/index.js';
import { startServing, type Serving } from '../server/serving.js';
import { startProduction, type Production } from './production.js';

let production: Production;
let client: Client;
let serving: Serving;
let engine: Engine;
let model: Model;
beforeAll(async () => {
  production = await startProduction();
  client = production.client(production.issued.data);
  serving = await startServing();
  engine = await createEngine({ threads: 2 });
  model = await engine.load('demo');
});
afterAll(async () => {
  await production[Symbol.asyncDispose]();
  await serving[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});

const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'A city' }, days: { type: 'integer', maximum: 10.0 } },
  required: ['city'],
};
const weather = { name: 'get_weather', description: 'Get the current weather in a city.' };
const user = (content: string) => [{ role: 'user', content }];

/** The same request over gRPC and in the words of chat completions. */
const requests: Readonly<Record<string, { readonly grpc: ChatRequestInput; readonly http: object }>> = {
  'a seed and the samplers': {
    grpc: { messages: user('Tell me a story.'), sampling: { temperature: 0.9, seed: 7, top_k: 40, min_p: 0.01 } },
    http: { messages: user('Tell me a story.'), temperature: 0.9, seed: 7, top_k: 40, min_p: 0.01 },
  },
  'a seed of 64 bits, a bias and a penalty': {
    grpc: {
      messages: user('Tell me a story.'),
      sampling: { temperature: 1, seed: -(2n ** 62n) - 1n, logit_bias: { 5: 3.5, 9: -2 }, repetition_penalty: 1.3 },
    },
    http: {
      messages: user('Tell me a story.'),
      temperature: 1,
      seed: String(-(2n ** 62n) - 1n),
      logit_bias: { 5: 3.5, 9: -2 },
      repetition_penalty: 1.3,
    },
  },
  'several choices with logprobs': {
    grpc: { messages: user('Name a city.'), n: 3, logprobs: true, top_logprobs: 2, sampling: { seed: 3 } },
    http: { messages: user('Name a city.'), n: 3, logprobs: true, top_logprobs: 2, seed: 3 },
  },
  'a tool': {
    grpc: {
      messages: user('Is it warm in Oslo?'),
      tools: [{ ...weather, parameters: JSON.stringify(parameters) }],
      sampling: { temperature: 0 },
    },
    http: {
      messages: user('Is it warm in Oslo?'),
      tools: [{ type: 'function', function: { ...weather, parameters } }],
      temperature: 0,
    },
  },
  'a tool that must be called': {
    grpc: {
      messages: user('Hello.'),
      tools: [{ ...weather, parameters: JSON.stringify(parameters) }],
      tool_choice: { mode: 3, names: ['get_weather'] },
      sampling: { seed: 5 },
    },
    http: {
      messages: user('Hello.'),
      tools: [{ type: 'function', function: { ...weather, parameters } }],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      seed: 5,
    },
  },
  'a schema': {
    grpc: {
      messages: user('Where is Oslo?'),
      response_format: { json_schema: { name: 'place', schema: JSON.stringify(parameters) } },
      sampling: { seed: 11 },
    },
    http: {
      messages: user('Where is Oslo?'),
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema: parameters } },
      seed: 11,
    },
  },
  thinking: {
    grpc: { messages: user('Please compute 59+14.'), thinking: { enabled: true }, sampling: { temperature: 0 } },
    http: { messages: user('Please compute 59+14.'), thinking: { type: 'enabled' }, temperature: 0 },
  },
  'a stop text': {
    grpc: { messages: user('Count to ten.'), stop: ['3', 'four'], sampling: { temperature: 0 } },
    http: { messages: user('Count to ten.'), stop: ['3', 'four'], temperature: 0 },
  },
};

describe.each(Object.entries(requests))('%s', (_, { grpc, http }) => {
  it('is answered over gRPC, whole and streamed, as over HTTP and in the library', async () => {
    const answer = await serving.post('/v1/chat/completions', { ...http, model: 'demo', max_tokens: 60 });
    expect(answer.status).toBe(200);
    const overHttp = sayingsOf((await answer.json()) as HttpCompletion);
    const inLibrary = sayingsOf(await model.chat({ ...http, max_tokens: 60 } as never));
    const whole = toSayings(await client.chat({ ...grpc, max_tokens: 60 }));
    const chunks: ChatChunk[] = [];
    for await (const chunk of client.stream({ ...grpc, max_tokens: 60, model: 'demo' })) chunks.push(chunk);
    expect(inLibrary).toEqual(overHttp);
    expect(whole).toEqual(overHttp);
    expect(joined(chunks)).toEqual(overHttp);
    expect(JSON.stringify(overHttp).length).toBeGreaterThan(40);
  });
});

describe('token ids over gRPC', () => {
  it('are continued as the library continues them', async () => {
    const promptTokenIds = model.tokenizer.encode('The capital of Norway');
    const expected: number[] = [];
    for await (const id of model.generate({ promptTokenIds, maxTokens: 24, temperature: 0.8, seed: 9 }))
      expected.push(id);
    const ids: number[] = [];
    let last: unknown;
    const asked = {
      prompt_token_ids: promptTokenIds,
      max_tokens: 24,
      sampling: { temperature: 0.8, seed: 9 },
      logprobs: 1,
    };
    for await (const chunk of client.generate(asked)) {
      ids.push(...chunk.token_ids);
      expect(chunk.logprobs.map(({ token_id: id }) => id)).toEqual([...chunk.token_ids]);
      last = chunk.usage;
    }
    expect(ids).toEqual(expected);
    expect(last).toMatchObject({ prompt_tokens: promptTokenIds.length });
  });

  it('come of texts, are counted, and become vectors as in the library', async () => {
    const text = 'Grüße aus Oslo <|im_end|>';
    expect(await client.tokenize({ text })).toEqual([...model.tokenizer.encode(text, { addSpecialTokens: false })]);
    expect(await client.tokenize({ text, plain: true })).not.toEqual(await client.tokenize({ text }));
    expect(await client.countTokens({ text })).toBe((await client.tokenize({ text })).length);
    const messages = user('hi');
    expect(await client.countTokens({ chat: { messages } })).toBe(await model.countTokens(messages as never));
    const { embeddings } = await model.embed(['one', 'two']);
    const { embeddings: vectors, prompt_tokens: tokens } = await client.embed({
      inputs: [{ text: 'one' }, { text: 'two' }],
    });
    expect(vectors.map(({ values }) => Float32Array.from(values))).toEqual(embeddings);
    expect(tokens).toBeGreaterThan(1);
  });

  it('of long texts hold up no other call', async () => {
    const text = 'word '.repeat(200_000);
    const [ids, models] = await Promise.all([client.tokenize({ text }), client.listModels()]);
    expect(ids.length).toBeGreaterThan(200_000);
    expect(models).toMatchObject([{ id: 'demo', state: 3 }]);
  });
});

describe('a model name', () => {
  it('is the id, or empty', async () => {
    const request = { messages: user('hi'), max_tokens: 2 };
    expect((await client.chat({ ...request, model: '' })).model).toBe('demo');
    expect((await client.chat({ ...request, model: 'demo' })).model).toBe('demo');
    await expect(client.chat({ ...request, model: 'other' })).rejects.toMatchObject({
      code: 'model_not_found',
      details: { grpc_status: 'NOT_FOUND', param: 'model' },
    });
  });
});

/** What an answer says in no wire's words. */
function sayingsOf({ choices, usage }: HttpCompletion): object {
  return {
    choices: choices.map(({ message, finish_reason: finish, logprobs }) => ({
      content: message.content ?? '',
      reasoning: message.reasoning_content ?? '',
      calls: (message.tool_calls ?? []).map(({ function: called }) => called),
      finish,
      logprobs: (logprobs?.content ?? []).map(toLogprob),
    })),
    usage: [usage.prompt_tokens, usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens],
  };
}

const finishes = new Map<number, string>([
  [FinishReason.FINISH_REASON_STOP, 'stop'],
  [FinishReason.FINISH_REASON_LENGTH, 'length'],
  [FinishReason.FINISH_REASON_TOOL_CALLS, 'tool_calls'],
]);

function toSayings({ choices, usage }: ChatCompletion): object {
  return {
    choices: choices.map(({ message, finish_reason: finish, logprobs }) => ({
      content: message?.content,
      reasoning: message?.reasoning_content,
      calls: (message?.tool_calls ?? []).map((call) => ({ name: call.name, arguments: call.arguments })),
      finish: finishes.get(finish),
      logprobs: logprobs.map(toLogprob),
    })),
    usage: [usage?.prompt_tokens, usage?.completion_tokens, usage?.reasoning_tokens],
  };
}

function toLogprob({
  token,
  logprob,
  bytes,
  top_logprobs: top,
}: Omit<TokenLogprob, 'bytes' | 'top_logprobs'> & {
  readonly bytes: ArrayLike<number>;
  readonly top_logprobs: readonly { token: string; logprob: number }[];
}): object {
  return { token, logprob, bytes: Array.from(bytes), top: top.map((one) => [one.token, one.logprob]) };
}

function joined(chunks: readonly ChatChunk[]): object {
  const count = chunks[0]?.begin?.choices ?? 0;
  const choices = Array.from({ length: count }, () => ({
    content: '',
    reasoning: '',
    calls: [] as { name: string; arguments: string }[],
    finish: undefined as string | undefined,
    logprobs: [] as object[],
  }));
  for (const { delta, end } of chunks) {
    const choice = choices[delta?.index ?? end?.index ?? 0];
    if (choice === undefined) throw new Error('a choice that was not announced');
    if (end) choice.finish = finishes.get(end.finish_reason);
    choice.content += delta?.content ?? '';
    choice.reasoning += delta?.reasoning_content ?? '';
    choice.logprobs.push(...(delta?.logprobs ?? []).map(toLogprob));
    if (delta?.tool_call) {
      const { index, name, arguments: text } = delta.tool_call;
      const call = (choice.calls[index] ??= { name, arguments: '' });
      call.arguments += text;
    }
  }
  const usage = chunks.at(-1)?.usage;
  return { choices, usage: [usage?.prompt_tokens, usage?.completion_tokens, usage?.reasoning_tokens] };
}
