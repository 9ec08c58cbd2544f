// What clients of each dialect send and read, so that one suite holds all dialects to the same answers.
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ErrorBody,
  TextCompletion,
  TextCompletionChunk,
  Usage,
} from '../../src/api/index.js';
import type { TokenUsage } from '../../src/completion/index.js';
import type { dialects } from '../../src/wire/index.js';
import { grpcChat } from './grpc-client.js';
import { messages } from './messages-client.js';
import { ollamaChat, ollamaGenerate } from './ollama-client.js';
import { responses } from './responses-client.js';
import { bytesToText, emptyChoice, type ReadAnswer, type ReadChoice, type WireClient } from './wire-client.js';

const readUsage = (usage: Usage | null | undefined): TokenUsage | undefined =>
  usage
    ? {
        promptTokens: usage.prompt_tokens,
        completionTokens: usage.completion_tokens,
        cachedTokens: usage.prompt_tokens_details.cached_tokens,
        reasoningTokens: usage.completion_tokens_details.reasoning_tokens,
      }
    : undefined;

const readError = (body: object): { code: string | null; message: string } => (body as ErrorBody).error;

/** Reads a stream of objects that have choices, each of which `add` adds to what was read. */
function readChoices<T extends { index: number; finish_reason: string | null }>(
  objects: readonly { id: string; model: string; choices: readonly T[]; usage?: Usage | null }[],
  n: number,
  add: (choice: ReadChoice, piece: T) => void,
): ReadAnswer {
  const choices = Array.from({ length: n }, emptyChoice);
  let usage: TokenUsage | undefined;
  for (const object of objects) {
    if (usage !== undefined) throw new Error('an object after the usage');
    for (const piece of object.choices) {
      const choice = choices[piece.index];
      if (choice === undefined || choice.finish !== null) throw new Error(`a piece of choice ${piece.index}`);
      add(choice, piece);
      choice.finish = piece.finish_reason;
    }
    usage = readUsage(object.usage);
  }
  return {
    choices,
    usage,
    ids: new Set(objects.map(({ id }) => id)),
    models: new Set(objects.map(({ model }) => model)),
  };
}

/** What requests of OpenAI's older APIs may ask for. */
const everything = { maxChoices: 16, tellsLogprobs: true, tellsUsageAlways: false };

const chat: WireClient = {
  ...everything,
  body: ({ n, isStream, tellsUsage, logprobs }) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
    n,
    stream: isStream,
    logprobs,
    stream_options: { include_usage: tellsUsage },
  }),
  says: ['content', 'reasoning', 'toolCall'],
  finishes: new Map([
    ['stop', 'stop'],
    ['length', 'length'],
    ['toolCalls', 'tool_calls'],
  ]),
  readWhole(whole) {
    const { id, model, choices, usage } = whole as ChatCompletion;
    return {
      ids: new Set([id]),
      models: new Set([model]),
      usage: readUsage(usage),
      choices: choices.map(({ message, logprobs, finish_reason: finish }) => ({
        content: message.content ?? '',
        reasoning: message.reasoning_content ?? '',
        calls: (message.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          argumentsText: call.function.arguments,
        })),
        tokenText: bytesToText((logprobs?.content ?? []).flatMap(({ bytes }) => bytes)),
        finish,
      })),
    };
  },
  readStream: (objects, n) =>
    readChoices(objects as readonly ChatCompletionChunk[], n, (choice, { delta, logprobs }) => {
      choice.content += delta.content ?? '';
      choice.reasoning += delta.reasoning_content ?? '';
      choice.tokenText += bytesToText((logprobs?.content ?? []).flatMap(({ bytes }) => bytes));
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        const call = (choice.calls[index] ??= { id: id ?? '', name: called.name ?? '', argumentsText: '' });
        call.argumentsText += called.arguments;
      }
    }),
  readError,
};

const text: WireClient = {
  ...everything,
  body: ({ n, isStream, tellsUsage, logprobs }) => ({
    model: 'm',
    prompt: 'hi',
    n,
    stream: isStream,
    ...(logprobs && { logprobs: 0 }),
    stream_options: { include_usage: tellsUsage },
  }),
  says: ['content'],
  finishes: new Map([
    ['stop', 'stop'],
    ['length', 'length'],
  ]),
  readWhole(whole) {
    const { id, model, choices, usage } = whole as TextCompletion;
    return {
      ids: new Set([id]),
      models: new Set([model]),
      usage: readUsage(usage),
      choices: choices.map((choice) => ({
        ...emptyChoice(),
        content: choice.text,
        tokenText: (choice.logprobs?.tokens ?? []).join(''),
        finish: choice.finish_reason,
      })),
    };
  },
  readStream: (objects, n) =>
    readChoices(objects as readonly TextCompletionChunk[], n, (choice, piece) => {
      choice.content += piece.text;
      choice.tokenText += (piece.logprobs?.tokens ?? []).join('');
    }),
  readError,
};

/** The client of each dialect. */
export const clients: Readonly<Record<keyof typeof dialects, WireClient>> = {
  chatCompletions: chat,
  textCompletions: text,
  responses,
  messages,
  ollamaChat,
  ollamaGenerate,
  grpcChat,
};
