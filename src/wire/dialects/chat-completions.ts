import { toCustomArguments, toTokenLogprobs, type CallForm } from '../../answers/index.js';
import {
  readJsonSources,
  toErrorBody,
  withJsonSources,
  ChatCompletion,
  ChatCompletionChunk,
  type AssistantMessage,
  type ChatMessage,
  type ChunkDelta,
  type FinishReason,
  type SentToolCall,
  type Usage,
} from '../../api/index.js';
import { present } from '../../base/index.js';
import {
  textParts,
  type ChatPrompt,
  type ChoiceEnd,
  type Delta,
  type FieldNames,
  type Message,
  type MessageCall,
} from '../../completion/index.js';
import { BILLING_LINE, withoutClientLines } from '../client-lines.js';
import { doneFraming, type AnswerHead, type WireDialect, type WireRequest } from '../dialect.js';
import { parseChatCompletionRequest } from '../parsing/parse-chat-request.js';
import { MessageBuilder } from '../message-builder.js';
import { readFormat } from '../parsing/read-format.js';
import { readThinking, thinkingField } from '../parsing/read-thinking.js';
import { ignoredChoice, readToolChoice } from '../parsing/read-tool-choice.js';
import { ChatCompletionRequest } from '../request-schemas.js';
import { fieldNames, toEnds, toLimit, toSamplingChoice } from '../sampling-choice.js';
import { isServedByChat, offerChatTools, toCalled, toCustomPieces } from '../tools/chat-tools.js';
import { toIgnored } from '../tools/left-out.js';
import type { ToolOffer } from '../tools/tool-offer.js';
import { toUsage } from '../usage.js';

type ChunkChoice = ChatCompletionChunk['choices'][number];
/** Additions of a chunk to a choice. Absent: no logprobs, and more will follow. */
type ChunkPiece = Pick<ChunkChoice, 'delta'> & Partial<ChunkChoice>;

/** The first chunk of a choice. */
const ROLE: ChunkDelta = { role: 'assistant', content: '' };

/** A parsed body of chat completions. */
export interface ChatWireRequest extends WireRequest {
  /** The client's names of calls, by the names in the prompt. */
  readonly callForms: ReadonlyMap<string, CallForm>;
}

/** OpenAI's chat completions, with the fields of llama.cpp, vLLM and others beside them. */
export const chatCompletions: WireDialect<ChatCompletion, ChatCompletionChunk, ChatWireRequest> = {
  schemas: { request: ChatCompletionRequest, whole: ChatCompletion, event: ChatCompletionChunk },
  idPrefix: 'chatcmpl-',
  sources: ['tools', 'chat_template_kwargs'],
  read: (value, sources = {}) => toChatWireRequest(withJsonSources(parseChatCompletionRequest(value), sources)),
  toError: toErrorBody,
  framing: doneFraming,

  toEvents({ tellsUsage, callForms }, head) {
    const write = (index: number, piece: ChunkPiece): ChatCompletionChunk =>
      toChunk(head, { index, ...piece }, tellsUsage);
    return (event) => {
      if (event.type === 'begin') return event.echoes.map((_, index) => write(index, { delta: ROLE }));
      if (event.type === 'end') return tellsUsage ? [toUsageChunk(head, toUsage(event.usage))] : [];
      const { index, deltas, end } = event;
      const chunks = deltas.flatMap((delta) =>
        toPieces(delta, head.newCallId, callForms).map((piece) => write(index, piece)),
      );
      if (end !== undefined) chunks.push(write(index, { delta: {}, finish_reason: toFinishReason(end) }));
      return chunks;
    };
  },

  toWhole({ completion, callForms }, head) {
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
          message: toClientMessage(message, callForms),
          logprobs:
            completion.logprobs === undefined ? null : { content: toTokenLogprobs(message.tokens), refusal: null },
          finish_reason: present(finishes[index], 'every choice ends'),
        })),
        usage: present(usage, 'an answer ends with its usage'),
      }),
    };
  },
};

/** What a checked body asks for. */
export function toChatWireRequest(body: ChatCompletionRequest): ChatWireRequest {
  const wanted = readFormat(body);
  const offer = offerChatTools(body);
  const toolChoice = readToolChoice(body.tool_choice, offer);
  const { prompt, ignored } = readPrompt(body, offer);
  const asked = body.max_completion_tokens ?? body.max_tokens ?? body.n_predict ?? -1;
  return {
    model: body.model,
    isStream: body.stream === true,
    tellsUsage: body.stream_options?.include_usage === true,
    ignored: toIgnored([...ignored, ...ignoredChoice(body.tool_choice, toolChoice)]),
    callForms: offer.forms,
    completion: {
      kind: 'chat',
      ...prompt,
      ...toEnds(body),
      ...(wanted !== undefined && { format: wanted.format, fields: { ...prompt.fields, format: wanted.field } }),
      toolChoice,
      ...(body.tool_choice === 'none' && { withheldTools: offer.tools }),
      sampling: toSamplingChoice(body),
      n: body.n ?? 1,
      maxTokens: toLimit(asked),
      logprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
      endsWithFirstCall: body.parallel_tool_calls === false,
    },
  };
}

/** The prompt of a body. */
export function toChatPrompt(body: ChatCompletionRequest): ChatPrompt {
  return readPrompt(body, offerChatTools(body)).prompt;
}

/** The same, and the parts of the body that were left out. */
function readPrompt(
  body: ChatCompletionRequest,
  offer: ToolOffer,
): { readonly prompt: ChatPrompt; readonly ignored: readonly string[] } {
  const sources = readJsonSources(body);
  const isNone = body.tool_choice === 'none';
  const ignored = [...offer.leftOut, ...('web_search_options' in body ? ['web_search_options'] : [])];
  const places: number[] = [];
  const messages = body.messages.flatMap((message, index) => {
    const { turn, leftOut } = toMessage(message);
    ignored.push(...leftOut);
    if (turn === undefined) return [];
    places.push(index);
    return [turn];
  });
  const fields = chatFieldNames(body);
  const at = (index: number): number => places[index] ?? index;
  const isWhole = places.length === body.messages.length && offer.leftOut.length === 0;
  const prompt: ChatPrompt = {
    messages,
    // A model cannot call a tool that the prompt lacks.
    tools: isNone ? [] : offer.tools,
    toolsSource: isNone ? undefined : offer.source,
    variables: body.chat_template_kwargs,
    variablesSource: sources.chat_template_kwargs,
    thinking: readThinking(body),
    trustsControlTokens: body.parse_special === true,
    dropsUnsupported: body.drop_unsupported === true,
    fields: isWhole
      ? fields
      : {
          ...fields,
          message: (index) => fields.message(at(index)),
          calls: (index) => fields.calls(at(index)),
          toolSchema: (index) => offer.schemaPath(index) ?? fields.toolSchema(index),
        },
  };
  return { prompt, ignored };
}

function chatFieldNames(body: ChatCompletionRequest): FieldNames {
  const names = fieldNames(body);
  const thinking = thinkingField(body);
  // Not the body itself: a stream keeps its request in memory until its end.
  const oldCalls = body.messages.flatMap((message, index) => (message.function_call ? [index] : []));
  if (thinking === undefined && oldCalls.length === 0) return names;
  const calls = (index: number): string =>
    oldCalls.includes(index) ? `messages[${index}].function_call` : names.calls(index);
  return { ...names, calls, thinking };
}

/** A turn, and the parts of it that were left out. */
interface ReadMessage {
  /** Undefined: nothing is left of it. */
  readonly turn: Message | undefined;
  readonly leftOut: readonly string[];
}

/** A turn without the wire's spellings: system for developer, tool for function, text for parts, calls for a function call. */
function toMessage(message: ChatMessage): ReadMessage {
  const { role, name, content, function_call: oldCall, tool_calls: calls, tool_call_id: callId } = message;
  const reasoning = message.reasoning_content ?? message.reasoning;
  const isSystem = role === 'system' || role === 'developer';
  const texts = Array.isArray(content) ? content.map((part) => part.text ?? '') : [content ?? ''];
  const kept = isSystem ? texts.map(withoutClientLines) : texts;
  const text = kept.join('');
  const isClients = isSystem && kept.some((part, index) => part !== texts[index]);
  if (isClients && text === '') return { turn: undefined, leftOut: [BILLING_LINE] };
  const made = oldCall ? [{ function: oldCall }] : (calls ?? []);
  const others = made.flatMap((call) => ('type' in call && !isServed(call) ? [call.type ?? ''] : []));
  const turn: Message = {
    role: isSystem ? 'system' : role === 'function' ? 'tool' : role,
    content: kept.flatMap(textParts),
    name: name ?? undefined,
    reasoning: reasoning ?? undefined,
    calls: made.flatMap((call) => toCall(call) ?? []),
    callId: callId ?? undefined,
  };
  return { turn, leftOut: isClients ? [BILLING_LINE, ...others] : others };
}

function isServed({ type, function: called }: SentToolCall): boolean {
  return called !== undefined || type === undefined || isServedByChat(type);
}

/** A call of an earlier turn; undefined: it is of another type. */
function toCall(call: SentToolCall): MessageCall | undefined {
  const { function: called, custom } = call;
  const id = 'id' in call ? { id: call.id } : {};
  if (called !== undefined) return { ...id, name: called.name, argumentsText: called.arguments ?? '' };
  return custom === undefined
    ? undefined
    : { ...id, name: custom.name, argumentsText: toCustomArguments(custom.input ?? '') };
}

/** The message with calls as the client named their tools. */
function toClientMessage(builder: MessageBuilder, forms: ChatWireRequest['callForms']): AssistantMessage {
  const message = builder.toMessage();
  const { tool_calls: calls } = message;
  return calls === undefined ? message : { ...message, tool_calls: calls.map((call) => toCalled(call, forms)) };
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
function toPieces(delta: Delta, newCallId: () => string, forms: ChatWireRequest['callForms']): ChunkPiece[] {
  if (delta.type === 'content') {
    const piece = { delta: { content: delta.text } };
    return [
      delta.logprobs ? { ...piece, logprobs: { content: toTokenLogprobs(delta.logprobs), refusal: null } } : piece,
    ];
  }
  if (delta.type === 'reasoning') return [{ delta: { reasoning_content: delta.text } }];
  const { index, name, argumentsText } = delta;
  if (name !== undefined && forms.get(name)?.kind === 'custom') {
    return toCustomPieces(index, newCallId(), name, argumentsText).map((piece) => ({ delta: { tool_calls: [piece] } }));
  }
  const more: ChunkPiece = { delta: { tool_calls: [{ index, function: { arguments: argumentsText } }] } };
  if (name === undefined) return [more];
  const first: ChunkPiece = {
    delta: { tool_calls: [{ index, id: newCallId(), type: 'function', function: { name, arguments: '' } }] },
  };
  return argumentsText === '' ? [first] : [first, more];
}
