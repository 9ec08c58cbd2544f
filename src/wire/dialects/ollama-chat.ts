import { toExactJson } from '../../answers/index.js';
import {
  OllamaChatAnswer,
  OllamaChatRequest,
  withJsonSources,
  type OllamaMessage,
  type OllamaMetrics,
  type OllamaToolCall,
} from '../../api/index.js';
import { AppError, describe, present, stringifyInOrder } from '../../base/index.js';
import { textParts, type ChoiceEnd, type Delta, type Message } from '../../completion/index.js';
import { TurnList } from '../turn-list.js';
import { lineFraming, type AnswerHead, type WireDialect, type WireRequest } from '../dialect.js';
import { toDoneReason, toLogprobs, toMetrics, toPieceHead } from '../ollama/answer-fields.js';
import { CallCollector } from '../ollama/call-collector.js';
import { ollamaFields, readThink, refuseImages, toHeadOf, toNothing, toWishes } from '../ollama/common-fields.js';
import { toOllamaError } from '../ollama/errors.js';
import { offerChatTools } from '../tools/chat-tools.js';
import { bareOthers, toIgnored } from '../tools/left-out.js';
import { createBodyParser } from '../ollama/parse-body.js';

type AnswerMessage = OllamaChatAnswer['message'];

const ROLES: ReadonlySet<string> = new Set<Message['role']>(['system', 'user', 'assistant', 'tool']);

const parse = createBodyParser<OllamaChatRequest>(OllamaChatRequest, (body) => {
  body.messages?.forEach(checkMessage);
  offerChatTools(body);
});

/** `POST /api/chat` of Ollama. Source: ollama/ollama, server/routes.go, `ChatHandler`. */
export const ollamaChat: WireDialect<OllamaChatAnswer, OllamaChatAnswer> = {
  schemas: { request: OllamaChatRequest, whole: OllamaChatAnswer, event: OllamaChatAnswer },
  idPrefix: '',
  sources: ['tools'],
  read: (value, sources = {}) => toRequest(withJsonSources(parse(withoutOthers(value)), sources)),
  toJson: (answer) => (answer.message.tool_calls === undefined ? JSON.stringify(answer) : toExactJson(answer)),
  toError: toOllamaError,
  framing: lineFraming,

  toEvents(request, head) {
    const calls = new CallCollector(head.newCallId);
    let end: ChoiceEnd | undefined;
    const write = (piece: Omit<AnswerMessage, 'role'>, more = {}): OllamaChatAnswer => {
      return { ...toPieceHead(head), message: { role: 'assistant', ...piece }, done: false, ...more };
    };
    /** The calls that are whole now. */
    const writeCalls = (ended: readonly OllamaToolCall[]): OllamaChatAnswer[] =>
      ended.length === 0 ? [] : [write({ content: '', tool_calls: [...ended] })];
    const writeDelta = (delta: Delta): OllamaChatAnswer[] => {
      const ended = writeCalls(calls.add(delta));
      if (delta.type === 'content') ended.push(write({ content: delta.text }, toLogprobs(delta)));
      if (delta.type === 'reasoning') ended.push(write({ content: '', thinking: delta.text }));
      return ended;
    };
    return (event) => {
      if (event.type === 'begin') return [];
      if (event.type === 'end') {
        return [toLast(request, head, { role: 'assistant', content: '' }, end, toMetrics(event.usage, head))];
      }
      const pieces = event.deltas.flatMap(writeDelta);
      if (event.end === undefined) return pieces;
      end = event.end;
      return [...pieces, ...writeCalls(calls.end())];
    };
  },

  toWhole(request, head) {
    const calls = new CallCollector(head.newCallId);
    const made: OllamaToolCall[] = [];
    const logprobs: NonNullable<OllamaChatAnswer['logprobs']> = [];
    const text = { content: '', thinking: '' };
    let end: ChoiceEnd | undefined;
    let metrics: OllamaMetrics | undefined;
    return {
      add(event) {
        if (event.type === 'begin') return;
        if (event.type === 'end') {
          metrics = toMetrics(event.usage, head);
          return;
        }
        for (const delta of event.deltas) {
          made.push(...calls.add(delta));
          if (delta.type === 'content') text.content += delta.text;
          if (delta.type === 'reasoning') text.thinking += delta.text;
          logprobs.push(...(toLogprobs(delta).logprobs ?? []));
        }
        if (event.end === undefined) return;
        end = event.end;
        made.push(...calls.end());
      },
      finish() {
        const { content, thinking } = text;
        const message: AnswerMessage = { role: 'assistant', content };
        if (thinking !== '') message.thinking = thinking;
        if (made.length > 0) message.tool_calls = made;
        const last = toLast(request, head, message, end, present(metrics, 'an answer ends with its usage'));
        return request.completion.logprobs === undefined || end === undefined ? last : { ...last, logprobs };
      },
    };
  },
};

/** What a checked body asks for. */
function toRequest(body: OllamaChatRequest): WireRequest {
  const { messages = [], think } = body;
  const offer = offerChatTools(body);
  const conversation = readTurns(messages);
  const isEmpty = messages.length === 0;
  const head = toHeadOf(body, isEmpty);
  if (isEmpty) return { ...head, completion: toNothing(body) };
  return {
    ...head,
    ignored: toIgnored([...(head.ignored ?? []), ...offer.leftOut, ...conversation.ignored]),
    completion: {
      kind: 'chat',
      ...toWishes(body),
      messages: conversation.messages,
      tools: offer.tools,
      toolsSource: offer.source,
      thinking: readThink(body),
      trustsControlTokens: false,
      dropsUnsupported: body.drop_unsupported === true,
      dropsOldest: body.truncate !== false,
      endsWithFirstCall: false,
      fields: { ...ollamaFields, ...conversation.names(), ...(think !== undefined && { thinking: 'think' }) },
    },
  };
}

/** The piece that ends an answer. */
function toLast(
  request: WireRequest,
  head: AnswerHead,
  message: AnswerMessage,
  end: ChoiceEnd | undefined,
  metrics: OllamaMetrics,
): OllamaChatAnswer {
  return { ...toPieceHead(head), message, done: true, done_reason: toDoneReason(request, end), ...metrics };
}

/** A turn in the words of no wire. Roles may be in capitals. */
function toMessage(message: OllamaMessage): Message {
  const { role, content, thinking, tool_calls: calls, tool_name: name, tool_call_id: callId } = message;
  return {
    role: toRole(role),
    content: textParts(content ?? ''),
    name: name ?? undefined,
    reasoning: thinking ?? undefined,
    calls: (calls ?? []).map(({ id, function: called }) => ({
      id,
      name: called.name,
      argumentsText: typeof called.arguments === 'string' ? called.arguments : stringifyInOrder(called.arguments ?? {}),
    })),
    callId: callId ?? undefined,
  };
}

function toRole(role: string): Message['role'] {
  return role.toLowerCase() as Message['role'];
}

/** Errors: `invalid_value`, `unsupported_parameter`. */
function checkMessage({ role, images }: OllamaMessage, index: number): void {
  refuseImages(images, `messages[${index}].images`);
  if (ROLES.has(role.toLowerCase())) return;
  const param = `messages[${index}].role`;
  const message = `${param} must be one of ${[...ROLES].join(', ')}; it is ${describe(role, true)}`;
  throw new AppError('invalid_value', message, { param });
}

/** Tools of other types are left out: they are no reason to refuse the rest. */
function withoutOthers(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('tools' in body)) return body;
  return { ...body, tools: bareOthers(body.tools, (type) => type === 'function') };
}

function readTurns(messages: readonly OllamaMessage[]): TurnList {
  const conversation = new TurnList();
  messages.forEach((message, index) => conversation.addTurn(toMessage(message), `messages[${index}]`));
  return conversation;
}
