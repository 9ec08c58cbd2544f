import { toTokenLogprobs } from '../../answers/index.js';
import { toErrorBody } from '../../api/index.js';
import { present, type JsonObject } from '../../base/index.js';
import { textParts, type ChatPrompt, type Delta, type FieldNames, type Message } from '../../completion/index.js';
import { TurnList } from '../turn-list.js';
import { lineFraming, type AnswerHead, type WireDialect, type WireRequest } from '../dialect.js';
import {
  GrpcChatChunk,
  GrpcChatCompletion,
  grpcFinishReasons,
  toGrpcUsage,
  type GrpcUsage,
} from '../grpc/grpc-answers.js';
import {
  parseGrpcChatRequest,
  readGrpcFormat,
  readGrpcToolChoice,
  readJsonObject,
} from '../grpc/parse-grpc-request.js';
import { GrpcChatRequest, toolModes, type GrpcMessage, type GrpcTool } from '../grpc/grpc-request.js';
import { MessageBuilder } from '../message-builder.js';
import { commonNames, toEnds, toSamplingChoice } from '../sampling-choice.js';

/** The names of fields in errors of gRPC requests. */
const names: FieldNames = {
  ...commonNames,
  toolSchema: (index) => `tools[${index}].parameters`,
  dropsUnsupported: 'drop_unsupported',
  stopTokenIds: 'sampling.stop_token_ids',
  logitBias: (id) => `sampling.logit_bias[${id}]`,
};

/** What a checked body asks for. */
function toRequest(body: GrpcChatRequest): WireRequest {
  const format = readGrpcFormat(body.response_format);
  return {
    tellsUsage: true,
    isStream: body.stream === true,
    model: body.model,
    completion: {
      kind: 'chat',
      ...toGrpcPrompt(body),
      ...toEnds(body),
      ...(format !== undefined && { format }),
      toolChoice: readGrpcToolChoice(body),
      ...(body.tool_choice?.mode === toolModes.none && { withheldTools: (body.tools ?? []).map(toTool) }),
      sampling: toSamplingChoice(body.sampling ?? {}),
      n: body.n ?? 1,
      maxTokens: body.max_tokens,
      logprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
      endsWithFirstCall: body.parallel_tool_calls === false,
    },
  };
}

/**
 * Chat over gRPC, in the JSON form of the messages of chat.proto. The socket's server turns it into framed messages.
 * Usage is always sent.
 */
export const grpcChat: WireDialect<GrpcChatCompletion, GrpcChatChunk> = {
  schemas: { request: GrpcChatRequest, whole: GrpcChatCompletion, event: GrpcChatChunk },
  framing: lineFraming,
  idPrefix: 'chatcmpl-',
  toError: toErrorBody,
  read: (value) => toRequest(parseGrpcChatRequest(value)),
  sources: [],

  toEvents: (_, head) => (event) => {
    if (event.type === 'begin') {
      const { echoes, promptTokens, unenforced } = event;
      const told = { prompt_tokens: promptTokens, choices: echoes.length, unenforced: [...unenforced] };
      return [{ begin: { ...toHead(head), ...told } }];
    }
    if (event.type === 'end') return [{ usage: toGrpcUsage(event.usage) }];
    const { index, deltas, end } = event;
    const chunks: GrpcChatChunk[] = deltas.map((delta) => ({
      delta: { index, ...toPiece(delta, head.newCallId) },
    }));
    if (end !== undefined) chunks.push({ end: { index, finish_reason: grpcFinishReasons[end.finishReason] } });
    return chunks;
  },

  toWhole(_, head) {
    const messages: MessageBuilder[] = [];
    const finishes: number[] = [];
    let usage: GrpcUsage | undefined;
    let unenforced: readonly string[] = [];
    return {
      add(event) {
        if (event.type === 'begin') {
          messages.push(...event.echoes.map(() => new MessageBuilder(head.newCallId)));
          unenforced = event.unenforced;
        } else if (event.type === 'end') usage = toGrpcUsage(event.usage);
        else {
          for (const delta of event.deltas) messages[event.index]?.add(delta);
          if (event.end !== undefined) finishes[event.index] = grpcFinishReasons[event.end.finishReason];
        }
      },
      finish: () => ({
        ...toHead(head),
        choices: messages.map((message, index) => ({
          index,
          message: toAnswerMessage(message),
          finish_reason: present(finishes[index], 'every choice ends'),
          logprobs: toTokenLogprobs(message.tokens),
        })),
        usage: present(usage, 'an answer ends with its usage'),
        unenforced: [...unenforced],
      }),
    };
  },
};

/** The prompt of a request. */
export function toGrpcPrompt(body: GrpcChatRequest): ChatPrompt {
  const { tools = [], tool_choice: choice, thinking, chat_template_kwargs: kwargs } = body;
  // A model cannot call a tool that the prompt lacks.
  const told = choice?.mode === toolModes.none ? [] : tools;
  const conversation = toTurns(body.messages);
  return {
    messages: conversation.messages,
    tools: told.map(toTool),
    ...(told.length > 0 && { toolsSource: `[${told.map(toToolSource).join(', ')}]` }),
    variables: readJsonObject('chat_template_kwargs', kwargs),
    ...(kwargs !== undefined && kwargs !== '' && { variablesSource: kwargs }),
    thinking: {
      isHidden: thinking?.hidden === true,
      ...(thinking?.enabled !== undefined && { enabled: thinking.enabled }),
      ...(thinking?.budget_tokens !== undefined && { enabled: true, budgetTokens: thinking.budget_tokens }),
      ...(thinking?.enabled === false && { enabled: false }),
    },
    trustsControlTokens: body.parse_special === true,
    dropsUnsupported: body.drop_unsupported === true,
    fields: { ...names, ...conversation.names(), ...(thinking !== undefined && { thinking: 'thinking' }) },
  };
}

/** proto3 has no absent texts: an empty one is none. */
function orAbsent(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** The turns, each with its path in the request. */
function toTurns(messages: readonly GrpcMessage[]): TurnList {
  const conversation = new TurnList();
  messages.forEach((message, index) => conversation.addTurn(toMessage(message), `messages[${index}]`));
  return conversation;
}

function toMessage(message: GrpcMessage): Message {
  const { role, content = '', name, reasoning_content: reasoning, tool_calls: calls, tool_call_id: callId } = message;
  return {
    role: role === 'developer' ? 'system' : role,
    content: textParts(content),
    name: orAbsent(name),
    reasoning: orAbsent(reasoning),
    calls: (calls ?? []).map(({ id, name: called, arguments: text = '' }) => ({
      ...(orAbsent(id) !== undefined && { id }),
      name: called,
      argumentsText: text,
    })),
    callId: orAbsent(callId),
  };
}

/** A tool as chat completions spell it. */
function toTool({ name, description, parameters, strict }: GrpcTool, index: number): JsonObject {
  const schema = readJsonObject(`tools[${index}].parameters`, parameters);
  return {
    type: 'function',
    function: {
      name,
      ...(orAbsent(description) !== undefined && { description }),
      ...(schema !== undefined && { parameters: schema }),
      ...(strict !== undefined && { strict }),
    },
  };
}

/** The same as JSON text, with the numbers of its schema as they were written. */
function toToolSource({ name, description, parameters, strict }: GrpcTool): string {
  const members = [
    `"name": ${JSON.stringify(name)}`,
    ...(orAbsent(description) === undefined ? [] : [`"description": ${JSON.stringify(description)}`]),
    ...(orAbsent(parameters) === undefined ? [] : [`"parameters": ${parameters}`]),
    ...(strict === undefined ? [] : [`"strict": ${strict}`]),
  ];
  return `{"type": "function", "function": {${members.join(', ')}}}`;
}

function toHead({ id, created, model, systemFingerprint }: AnswerHead) {
  return { id, created, model, system_fingerprint: systemFingerprint };
}

function toPiece(delta: Delta, newCallId: () => string): Omit<NonNullable<GrpcChatChunk['delta']>, 'index'> {
  if (delta.type === 'content') {
    return { content: delta.text, ...(delta.logprobs && { logprobs: toTokenLogprobs(delta.logprobs) }) };
  }
  if (delta.type === 'reasoning') return { reasoning_content: delta.text };
  const { index, name, argumentsText } = delta;
  const first = name === undefined ? {} : { id: newCallId(), name };
  return { tool_call: { index, ...first, arguments: argumentsText } };
}

function toAnswerMessage(builder: MessageBuilder): GrpcChatCompletion['choices'][number]['message'] {
  const { content, reasoning_content: reasoning, tool_calls: calls } = builder.toMessage();
  return {
    role: 'assistant',
    content: content ?? '',
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls && {
      tool_calls: calls.map(({ id, function: called }) => ({ id, name: called.name, arguments: called.arguments })),
    }),
  };
}
