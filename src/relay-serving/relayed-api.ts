// The relayed APIs and the form of their errors: whole answers, and the last event of a cut stream.
import { MessagesErrorBody, OllamaError, toErrorBody, toMessagesErrorBody } from '../api/index.js';
import { hidePaths, toErrorData, type AppError, type ErrorData, type KindOf } from '../base/index.js';
import { createErrorFormat, type ErrorBodies, type ErrorFormat } from '../endpoint/index.js';
import { anyAnswer, dialects, type ApiDialect, type DialectName } from '../relay/index.js';

/** One API that is relayed. */
export interface RelayedApi {
  /** Its path, without the base of a server; empty: on paths that a configuration lists. */
  readonly path: string;
  /** Absent: its answers are not read. */
  readonly dialect?: ApiDialect;
  /** No model computes its answers, so they cost nothing. */
  readonly isFree: boolean;
  /** The form of its errors, and of the header with the key. */
  readonly words: 'openai' | 'anthropic' | 'ollama';
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

/** By their names in a configuration. */
export const relayedApis = {
  'chat-completions': {
    path: dialects['chat-completions'].path,
    dialect: dialects['chat-completions'],
    isFree: false,
    words: 'openai',
    summary: 'Answers a chat by a runtime that serves the model.',
    operation: 'chat',
    toFinalEvent: openAiEvent,
  },
  completions: {
    path: dialects.completions.path,
    dialect: dialects.completions,
    isFree: false,
    words: 'openai',
    summary: 'Continues a text by a runtime that serves the model.',
    operation: 'text_completion',
    toFinalEvent: openAiEvent,
  },
  embeddings: {
    path: dialects.embeddings.path,
    dialect: dialects.embeddings,
    isFree: false,
    words: 'openai',
    summary: 'Embeds texts by a runtime that serves the model.',
    operation: 'embeddings',
    toFinalEvent: openAiEvent,
  },
  responses: {
    path: dialects.responses.path,
    dialect: dialects.responses,
    isFree: false,
    words: 'openai',
    summary: "Answers in OpenAI's responses by a runtime that serves the model and has them.",
    operation: 'chat',
    toFinalEvent: responsesEvent,
  },
  messages: {
    path: dialects.messages.path,
    dialect: dialects.messages,
    isFree: false,
    words: 'anthropic',
    summary: "Answers in Anthropic's messages by a runtime that serves the model and has them.",
    operation: 'chat',
    toFinalEvent: messagesEvent,
  },
  'count-tokens': {
    path: '/v1/messages/count_tokens',
    isFree: true,
    words: 'anthropic',
    summary: "Counts the tokens of a request of Anthropic's messages by a runtime that serves the model and has this.",
    operation: 'count_tokens',
    toFinalEvent: messagesEvent,
  },
  rerank: {
    path: dialects.rerank.path,
    dialect: dialects.rerank,
    isFree: false,
    words: 'openai',
    summary: 'Ranks documents by a runtime that serves the model and has this.',
    operation: 'rerank',
    toFinalEvent: openAiEvent,
  },
} as const satisfies Readonly<Record<DialectName | 'count-tokens', RelayedApi>>;

/** The name of an API that is relayed. */
export type RelayedApiName = keyof typeof relayedApis;

/** Their names. */
export const relayedApiNames = Object.keys(relayedApis) as readonly RelayedApiName[];

/** Other paths that the file lists: their requests name a model, and the rest is unknown. */
export const passedThrough: RelayedApi = {
  path: '',
  dialect: anyAnswer,
  isFree: false,
  words: 'openai',
  summary: 'Relays to a runtime that serves the model.',
  operation: 'passthrough',
  toFinalEvent: openAiEvent,
};

/** The same below `/api`, where Ollama's clients are. */
export const passedToOllama: RelayedApi = {
  ...passedThrough,
  words: 'ollama',
  toFinalEvent: (error, kindOf) => `data: ${JSON.stringify(toOllamaError(error, kindOf))}\n\n`,
};

function toOllamaError(error: ErrorData, kindOf: KindOf): OllamaError {
  return { error: toErrorBody(error, kindOf).error.message };
}

/** The last bytes of a stream that is cut. */
export function toFinalBytes(api: RelayedApi, error: AppError, kindOf: KindOf): Uint8Array {
  return Buffer.from(api.toFinalEvent(hidePaths(toErrorData(error)), kindOf));
}

/** The errors of an API. */
export function createApiErrors(words: RelayedApi['words'], kindOf: KindOf): ErrorFormat {
  return createErrorFormat(kindOf, BODIES[words]);
}

/** The bodies of errors, by the words of their API; absent: OpenAI's. */
const BODIES: Readonly<Record<RelayedApi['words'], ErrorBodies | undefined>> = {
  openai: undefined,
  anthropic: { schema: MessagesErrorBody, toBody: toMessagesErrorBody },
  ollama: { schema: OllamaError, toBody: toOllamaError },
};
