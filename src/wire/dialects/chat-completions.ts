import { toTokenLogprobs } from '../../answers/index.js';
import {
  readJsonSources,
  toErrorBody,
  withJsonSources,
  ChatCompletion,
  ChatCompletionChunk,
  type ChatMessage,
  type ChunkDelta,
  type FinishReason,
  type Usage,
} from '../../api/index.js';
import { present } from '../../base/index.js';
import type { ChatPrompt, ChoiceEnd, CompletionDelta, FieldNames, Message } from '../../completion/index.js';
import { doneFraming, type AnswerHead, type WireDialect } from '../dialect.js';
import { parseChatCompletionRequest } from '../parsing/parse-chat-request.js';
import { MessageBuilder } from '../message-builder.js';
import { readFormat } from '../parsing/read-format.js';
import { readThinking, thinkingField } from '../parsing/read-thinking.js';
import { readToolChoice } from '../parsing/read-tool-choice.js';
import { ChatCompletionRequest } from '../request-schemas.js';
import { fieldNames, toEnds, toLimit, toSamplingChoice } from '../sampling-choice.js';
import { toUsage } from '../usage.js';

type ChunkChoice = ChatCompletionChunk['choices'][number];
/** What a chunk adds to a choice. Absent: no logprobs, and more to come. */
type ChunkPiece = Pick<ChunkChoice, 'delta'> & Partial<ChunkChoice>;

/** The first chunk of a choice. */
const ROLE: ChunkDelta = { role: 'assistant', content: '' };

/** OpenAI's chat completions, with the fields of llama.cpp, vLLM and others beside them. */
export const chatCompletions: WireDialect<ChatCompletionRequest, ChatCompletion, ChatCompletionChunk> = {
  schemas: { request: ChatCompletionRequest, whole: ChatCompletion, event: ChatCompletionChunk },
  idPrefix: 'chatcmpl-',
  sources: ['tools', 'chat_template_kwargs'],
  parse: (value, sources) => withJsonSources(parseChatCompletionRequest(value), sources),
  toError: toErrorBody,
  framing: doneFraming,

  toRequest(body) {
    const wanted = readFormat(body);
    const asked = body.max_completion_tokens ?? body.max_tokens ?? body.n_predict ?? -1;
    return {
      model: body.model,
      isStream: body.stream === true,
      tellsUsage: body.stream_options?.include_usage === true,
      completion: {
        kind: 'chat',
        ...toChatPrompt(body),
        ...toEnds(body),
        ...(wanted !== undefined && { format: wanted.format, fields: chatFieldNames(body, wanted.field) }),
        toolChoice: readToolChoice(body),
        sampling: toSamplingChoice(body),
        n: body.n ?? 1,
        maxTokens: toLimit(asked),
        logprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
        endsWithFirstCall: body.parallel_tool_calls === false,
      },
    };
  },

  toEvents({ tellsUsage }, head) {
    const write = (index: number, piece: ChunkPiece): ChatCompletionChunk =>
      toChunk(head, { index, ...piece }, tellsUsage);
    return (event) => {
      if (event.type === 'begin') return event.echoes.map((_, index) => write(index, { delta: ROLE }));
      if (event.type === 'end') return tellsUsage ? [toUsageChunk(head, toUsage(event.usage))] : [];
      const { index, deltas, end } = event;
      const chunks = deltas.flatMap((delta) => toPieces(delta, head.newCallId).map((piece) => write(index, piece)));
      if (end !== undefined) chunks.push(write(index, { delta: {}, finish_reason: toFinishReason(end) }));
      return chunks;
    };
  },

  toWhole({ completion }, head) {
    const messages: MessageBuilder[] = [];
    const finishes: FinishReason[] = [];
    let usage: Usage | undefined;
    return {
      add(event) {
        if (event.type === 'begin') messages.push(...event.echoes.map(() => new MessageBuilder(head.newCallId)));
        else if (event.type === 'end') usage = toUsage(event.usage);
        else {
          for (const delta of event.deltas) messages[event.index]?.add(delta);
          if (event.end !== undefined) finishes[event.index] = toFinishReason(event.end);
        }
      },
      finish: () => ({
        ...toHead(head),
        object: 'chat.completion',
        choices: messages.map((message, index) => ({
          index,
          message: message.toMessage(),
          logprobs:
            completion.logprobs === undefined ? null : { content: toTokenLogprobs(message.tokens), refusal: null },
          finish_reason: present(finishes[index], 'every choice ends'),
        })),
        usage: present(usage, 'an answer ends with its usage'),
      }),
    };
  },
};

/** What a body says of the prompt alone. */
export function toChatPrompt(body: ChatCompletionRequest): ChatPrompt {
  const sources = readJsonSources(body);
  return {
    messages: body.messages.map(toMessage),
    // A model cannot call what it has not been told of.
    tools: body.tool_choice === 'none' ? [] : (body.tools ?? []),
    toolsSource: sources.tools,
    variables: body.chat_template_kwargs,
    variablesSource: sources.chat_template_kwargs,
    thinking: readThinking(body),
    trustsControlTokens: body.parse_special === true,
    dropsUnsupported: body.drop_unsupported === true,
    fields: chatFieldNames(body),
  };
}

function chatFieldNames(body: ChatCompletionRequest, format?: string): FieldNames {
  const names = fieldNames(body, format);
  const thinking = thinkingField(body);
  // Not the body itself: a stream keeps what its request has for as long as it lasts.
  const oldCalls = body.messages.flatMap((message, index) => (message.function_call ? [index] : []));
  if (thinking === undefined && oldCalls.length === 0) return names;
  const calls = (index: number): string =>
    oldCalls.includes(index) ? `messages[${index}].function_call` : names.calls(index);
  return { ...names, calls, thinking };
}

/** A turn without the wire's spellings: system for developer, tool for function, text for parts, calls for a function call. */
function toMessage(message: ChatMessage): Message {
  const { role, name, content, function_call: oldCall, tool_calls: calls, tool_call_id: callId } = message;
  const reasoning = message.reasoning_content ?? message.reasoning;
  const made = oldCall ? [{ function: oldCall }] : (calls ?? []);
  return {
    role: role === 'developer' ? 'system' : role === 'function' ? 'tool' : role,
    text: Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : (content ?? ''),
    name: name ?? undefined,
    reasoning: reasoning ?? undefined,
    calls: made.map((call) => ({
      ...('id' in call && { id: call.id }),
      name: call.function.name,
      argumentsText: call.function.arguments ?? '',
    })),
    callId: callId ?? undefined,
  };
}

function toFinishReason({ finishReason }: ChoiceEnd): FinishReason {
  return finishReason === 'toolCalls' ? 'tool_calls' : finishReason;
}

function toHead({
  id,
  created,
  model,
  systemFingerprint,
}: AnswerHead): Omit<ChatCompletion, 'object' | 'choices' | 'usage'> {
  return { id, created, model, system_fingerprint: systemFingerprint };
}

/** A chunk of one choice. `usage: null` where usage was asked for. */
function toChunk(
  head: AnswerHead,
  piece: ChunkPiece & { readonly index: number },
  tellsUsage: boolean,
): ChatCompletionChunk {
  const { id, created, model, systemFingerprint } = head;
  const { index, delta, logprobs = null, finish_reason = null } = piece;
  const chunk: ChatCompletionChunk = {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    system_fingerprint: systemFingerprint,
    choices: [{ index, delta, logprobs, finish_reason }],
  };
  if (tellsUsage) chunk.usage = null;
  return chunk;
}

/** The last chunk, when usage was asked for: no choices. */
function toUsageChunk(head: AnswerHead, usage: Usage): ChatCompletionChunk {
  return { ...toHead(head), object: 'chat.completion.chunk', choices: [], usage };
}

/** The pieces of one delta: a call's first one has no arguments yet. */
function toPieces(delta: CompletionDelta, newCallId: () => string): ChunkPiece[] {
  if (delta.type === 'content') {
    const piece = { delta: { content: delta.text } };
    return [
      delta.logprobs ? { ...piece, logprobs: { content: toTokenLogprobs(delta.logprobs), refusal: null } } : piece,
    ];
  }
  if (delta.type === 'reasoning') return [{ delta: { reasoning_content: delta.text } }];
  const { index, name, argumentsText } = delta;
  const more: ChunkPiece = { delta: { tool_calls: [{ index, function: { arguments: argumentsText } }] } };
  if (name === undefined) return [more];
  const first: ChunkPiece = {
    delta: { tool_calls: [{ index, id: newCallId(), type: 'function', function: { name, arguments: '' } }] },
  };
  return argumentsText === '' ? [first] : [first, more];
}
