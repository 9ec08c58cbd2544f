// Calls of the library, of the recorded corpus.
import type { Engine, Model } from '../../src/index.js';
import { chatCases } from './chat-cases.js';
import { replaceIds } from './exchange.js';
import { joinDeltas } from './join-deltas.js';

/** A call and what comes of it, as JSON. */
export interface LibraryCase {
  readonly name: string;
  readonly call: (model: Model, engine: Engine) => Promise<unknown>;
}

/** What a caller without types may hand over. */
type Untyped = Parameters<Model['chat']>[0];

const messages = [{ role: 'user', content: 'What is the capital of Norway?' }] as const;

async function eventsOf(model: Model, request: Untyped): Promise<string[]> {
  const events: string[] = [];
  for await (const chunk of model.stream(request)) events.push(`data: ${JSON.stringify(chunk)}`);
  return joinDeltas(events).map(replaceIds);
}

/** A third of the requests over HTTP, as the library takes them: it refuses what it does not know, where HTTP lets it pass. */
const requests = chatCases
  .filter((_, i) => i % 6 === 0)
  .flatMap(({ name, body }): LibraryCase[] => [
    { name: `library ${name}`, call: async (model) => model.chat(body as Untyped) },
    { name: `library stream of ${name}`, call: async (model) => eventsOf(model, body as Untyped) },
  ]);

const wrong: Readonly<Record<string, object>> = {
  'an unknown field': { messages, max_token: 3 },
  'a wrong type': { messages, temperature: 'hot' },
  'no messages': {},
  'an unknown role': { messages: [{ role: 'x', content: 'y' }] },
  'a misspelt message field': { messages: [{ role: 'user', contents: 'y' }] },
  'an unsupported field': { messages, response_format: { type: 'xml' } },
  'a tool without a name': { messages, tools: [{ type: 'function', function: {} }] },
  'n 0': { messages, n: 0 },
};

const calls: readonly LibraryCase[] = [
  {
    name: 'generate',
    call: async (model) => collect(model.generate({ promptTokenIds: [20, 21, 22], maxTokens: 5, temperature: 0 })),
  },
  {
    name: 'generate with a seed',
    call: async (model) =>
      collect(model.generate({ promptTokenIds: [20, 21, 22], maxTokens: 5, temperature: 1, seed: 3 })),
  },
  { name: 'embed', call: async (model) => model.embed(['Hello.', 'Oslo']) },
  { name: 'embed nothing', call: async (model) => model.embed([]) },
  { name: 'countTokens', call: async (model) => model.countTokens(messages) },
  { name: 'renderChat', call: async (model) => model.renderChat(messages, { addGenerationPrompt: true }) },
  { name: 'encode', call: async (model) => [...model.tokenizer.encode('Hello, 世界! <|im_end|>')] },
  { name: 'decode', call: async (model) => model.tokenizer.decode([20, 21, 22]) },
  { name: 'forward', call: async (model) => Array.from((await model.forward([20, 21])).slice(0, 8)) },
  {
    name: 'what a model says of itself',
    call: async ({ id, contextLength, vocabSize, generation }) => ({ id, contextLength, vocabSize, generation }),
  },
  { name: 'names of models', call: async (_, engine) => (await engine.available()).map(({ name }) => name) },
  { name: 'load what is not there', call: async (_, engine) => engine.load('no-such-model') },
  { name: 'load a wrong name', call: async (_, engine) => engine.load('') },
  {
    name: 'generate without tokens',
    call: async (model) => collect(model.generate({ promptTokenIds: [], maxTokens: 5 })),
  },
  {
    name: 'generate a token that is not there',
    call: async (model) => collect(model.generate({ promptTokenIds: [99_999_999], maxTokens: 5 })),
  },
  {
    name: 'generate a prompt that is too long',
    call: async (model) =>
      collect(model.generate({ promptTokenIds: Array.from({ length: 5000 }, () => 20), maxTokens: 5 })),
  },
];

/** All of them. */
export const libraryCases: readonly LibraryCase[] = [
  ...requests,
  ...Object.entries(wrong).map(([name, request]): LibraryCase => ({
    name: `library refuses ${name}`,
    call: async (model) => model.chat({ temperature: 0, max_tokens: 2, ...request } as Untyped),
  })),
  ...calls.map((each) => ({ ...each, name: `library ${each.name}` })),
];

async function collect(tokens: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = [];
  for await (const token of tokens) all.push(token);
  return all;
}
