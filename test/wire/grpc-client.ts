import type { ErrorBody } from '../../src/api/index.js';
import type { TokenUsage } from '../../src/completion/index.js';
import type { GrpcChatChunk, GrpcChatCompletion } from '../../src/wire/grpc/grpc-answers.js';
import { bytesToText, emptyChoice, type ReadAnswer, type WireClient } from './wire-client.js';

/** What clients over gRPC send and read, in the JSON form of the messages. */
export const grpcChat: WireClient = {
  maxChoices: 16,
  tellsLogprobs: true,
  tellsUsageAlways: true,
  body: ({ n, isStream, logprobs }) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 'f', parameters: '{"type": "object"}' }],
    n,
    stream: isStream,
    logprobs,
  }),
  says: ['content', 'reasoning', 'toolCall'],
  finishes: new Map([
    ['stop', '1'],
    ['length', '2'],
    ['toolCalls', '3'],
  ]),
  readWhole(whole) {
    const { id, model, choices, usage } = whole as GrpcChatCompletion;
    return {
      ids: new Set([id]),
      models: new Set([model]),
      usage: readUsage(usage),
      choices: choices.map(({ message, logprobs = [], finish_reason: finish }) => ({
        content: message.content,
        reasoning: message.reasoning_content ?? '',
        calls: (message.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.name,
          argumentsText: call.arguments,
        })),
        tokenText: bytesToText(logprobs.flatMap(({ bytes }) => bytes)),
        finish: String(finish),
      })),
    };
  },
  readStream(objects, n) {
    const choices = Array.from({ length: n }, emptyChoice);
    const answer: ReadAnswer = { choices, usage: undefined, ids: new Set(), models: new Set() };
    for (const chunk of objects as readonly GrpcChatChunk[]) {
      if (Object.keys(chunk).length !== 1 || answer.usage !== undefined) throw new Error('one event in each message');
      if (chunk.begin) {
        const { id, model, choices: count } = chunk.begin;
        if (count !== n) throw new Error(`${count} choices`);
        Object.assign(answer, { ids: new Set([id]), models: new Set([model]) });
      }
      if (chunk.usage) answer.usage = readUsage(chunk.usage);
      const piece: Partial<NonNullable<GrpcChatChunk['delta']>> = chunk.delta ?? {};
      const index = piece.index ?? 0;
      const choice = choices[chunk.end?.index ?? index];
      if (choice === undefined || (choice.finish !== null && !chunk.usage)) throw new Error(`a piece of ${index}`);
      if (chunk.end) choice.finish = String(chunk.end.finish_reason);
      choice.content += piece.content ?? '';
      choice.reasoning += piece.reasoning_content ?? '';
      choice.tokenText += bytesToText((piece.logprobs ?? []).flatMap(({ bytes }) => bytes));
      if (piece.tool_call) {
        const { index: at, id = '', name = '', arguments: text } = piece.tool_call;
        const call = (choice.calls[at] ??= { id, name, argumentsText: '' });
        call.argumentsText += text;
      }
    }
    return answer;
  },
  readError: (body) => (body as ErrorBody).error,
};

function readUsage(usage: GrpcChatCompletion['usage']): TokenUsage {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.cached_tokens,
    reasoningTokens: usage.reasoning_tokens,
  };
}
