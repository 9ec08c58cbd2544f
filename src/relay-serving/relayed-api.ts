// The APIs that are relayed, as their clients hear of errors: whole answers, and the last event of a stream that is cut.
import { MessagesErrorBody, toErrorBody, toHttpAnswer, toHttpHeaders, toMessagesErrorBody } from '../api/index.js';
import { toErrorData, type AppError, type ErrorData, type KindOf } from '../base/index.js';
import { createErrorFormat, type ErrorFormat } from '../endpoint/index.js';
import { dialects, type Dialect, type DialectName } from '../relay/index.js';

/** One API that is relayed. */
export interface RelayedApi {
  /** Absent: its answers are not read, and their tokens are not known. */
  readonly dialect?: Dialect;
  readonly summary: string;
  /** In OpenTelemetry's words. */
  readonly operation: string;
  /** The event that ends a stream with an error, its frame included. */
  toFinalEvent(error: ErrorData, kindOf: KindOf): string;
}

/** As OpenAI's clients read it: an event whose data has `error`. */
const openAiEvent: RelayedApi['toFinalEvent'] = (error, kindOf) =>
  `data: ${JSON.stringify(toErrorBody(error, kindOf))}\n\n`;

/** Source: OpenAI's API, the streaming event `error` of responses. */
const responsesEvent: RelayedApi['toFinalEvent'] = (error, kindOf) => {
  const { code, message, param } = toErrorBody(error, kindOf).error;
  return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param })}\n\n`;
};

/** Source: Anthropic's API, error events. */
const messagesEvent: RelayedApi['toFinalEvent'] = (error, kindOf) =>
  `event: error\ndata: ${JSON.stringify(toMessagesErrorBody(error, kindOf))}\n\n`;

/** By the names of their dialects. */
export const relayedApis = {
  'chat-completions': {
    dialect: dialects['chat-completions'],
    summary: 'Answers a chat by a runtime that serves the model.',
    operation: 'chat',
    toFinalEvent: openAiEvent,
  },
  completions: {
    dialect: dialects.completions,
    summary: 'Continues a text by a runtime that serves the model.',
    operation: 'text_completion',
    toFinalEvent: openAiEvent,
  },
  embeddings: {
    dialect: dialects.embeddings,
    summary: 'Embeds texts by a runtime that serves the model.',
    operation: 'embeddings',
    toFinalEvent: openAiEvent,
  },
  responses: {
    dialect: dialects.responses,
    summary: "Answers in OpenAI's responses by a runtime that serves the model and has them.",
    operation: 'chat',
    toFinalEvent: responsesEvent,
  },
  messages: {
    dialect: dialects.messages,
    summary: "Answers in Anthropic's messages by a runtime that serves the model and has them.",
    operation: 'chat',
    toFinalEvent: messagesEvent,
  },
} as const satisfies Readonly<Record<DialectName, RelayedApi>>;

/** What the file lists besides: a path whose request names a model, and nothing else is known of. */
export const passedThrough: RelayedApi = {
  summary: 'Relays to a runtime that serves the model.',
  operation: 'passthrough',
  toFinalEvent: openAiEvent,
};

/** The last bytes of a stream that is cut. */
export function toFinalBytes(api: RelayedApi, error: AppError, kindOf: KindOf): Uint8Array {
  return Buffer.from(api.toFinalEvent(toErrorData(error), kindOf));
}

/** How an API tells of errors: as OpenAI's does, but for Anthropic's. */
export function createApiErrors(name: DialectName, kindOf: KindOf): ErrorFormat {
  if (name !== 'messages') return createErrorFormat(kindOf);
  return {
    schema: MessagesErrorBody,
    toErrorResponse: (error) => {
      const answer = toHttpAnswer(error.code, kindOf);
      return {
        status: answer.status,
        headers: { 'content-type': 'application/json; charset=utf-8', ...toHttpHeaders(answer, error.details) },
        body: JSON.stringify(toMessagesErrorBody(error, kindOf)),
      };
    },
  };
}
