// Requests for completions, independent of any wire format. A wire's dialect makes these from its checked requests.
import { type JsonObject } from '../base/index.js';
import type { Absentable, SamplerValues, Sampling, SamplingDefaultsName } from '../engine/index.js';

/** A call in an assistant's message. */
export interface MessageCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** JSON, as the model wrote it; '' is none. */
  readonly argumentsText: string;
}

/** A part of a turn's content; parts follow each other as the client sent them. */
export interface MessagePart {
  readonly type: 'text';
  readonly text: string;
}

/** The content of one text; an empty one has no part. */
export function textParts(text: string): readonly MessagePart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** The text of all parts. */
export function messageText({ content }: Pick<Message, 'content'>): string {
  return content.map(({ text }) => text).join('');
}

/** One turn of a conversation. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: readonly MessagePart[];
  readonly name?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly calls?: readonly MessageCall[] | undefined;
  /** The call that a tool's message answers. */
  readonly callId?: string | undefined;
}

/** A request's fields for thinking. */
export interface Thinking {
  /** Absent: the template's own default. */
  readonly enabled?: boolean;
  /** The most tokens between the tags. */
  readonly budgetTokens?: number;
  /** The same as a part of all completion tokens. */
  readonly budgetShare?: number;
  /** Reasoning is counted but not given out. */
  readonly isHidden: boolean;
}

/** Sampling of a request. */
export interface SamplingChoice {
  /** The samplers' numbers. */
  readonly values: Absentable<SamplerValues>;
  /** Which defaults apply to numbers that are absent and not recommended by the model's makers. Absent: neutral values. */
  readonly defaults?: SamplingDefaultsName | undefined;
  /** Sequence breakers for DRY: a repetition does not extend across these texts. */
  readonly breakers?: readonly string[] | undefined;
  readonly logitBias?: Sampling['logitBias'];
  /** Absent: a new one each time. */
  readonly seed?: number | bigint | undefined;
  /** Token ids that end an answer besides the model's own. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /** The model's own stop ids do not end it. */
  readonly ignoresModelStops?: boolean | undefined;
}

/** The required form of an answer, after its reasoning, if any. */
export type AnswerFormat =
  /** A JSON object. */
  | { readonly kind: 'json' }
  /** JSON that a schema describes. `isStrict`: unsupported parts are refused; otherwise they are left open and reported. */
  | { readonly kind: 'jsonSchema'; readonly schema: JsonObject | boolean; readonly isStrict: boolean }
  /** A text that an expression of ECMA-262 describes as a whole. */
  | { readonly kind: 'regex'; readonly pattern: string }
  /** One of these texts. */
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  /** A text of a grammar in llama.cpp's notation. */
  | { readonly kind: 'gbnf'; readonly text: string };

/** The tools that an answer calls. Absent: the model decides. */
export interface ToolCallRule {
  /** It calls at least one. */
  readonly isRequired: boolean;
  /** It calls only these; absent: any tool of the request. */
  readonly names?: readonly string[] | undefined;
}

/** The common fields of requests for chat and for text. */
export interface CompletionWishes {
  readonly sampling: SamplingChoice;
  /** Choices of each prompt. */
  readonly n: number;
  /** Absent: as many as the context allows. */
  readonly maxTokens?: number | undefined;
  readonly stops: readonly string[];
  /** The stop string that ends an answer is part of it. */
  readonly keepsStop: boolean;
  /** Gives the logprob of each token of the content, and of so many alternatives. */
  readonly logprobs?: number | undefined;
  /** Shares cached prefixes with requests of the same salt only. */
  readonly cacheSalt?: string | undefined;
  /** Absent: any text. */
  readonly format?: AnswerFormat | undefined;
  /** The end event has the token ids of prompt and answer. */
  readonly tellsTokenIds?: boolean | undefined;
  /** Token ids before the prompt: of an earlier answer that this one continues. */
  readonly earlierTokenIds?: readonly number[] | undefined;
  /** The wire's names of the fields, for errors. */
  readonly fields: FieldNames;
}

/** The input of a conversation's prompt. */
export interface ChatPrompt {
  readonly messages: readonly Message[];
  /** The tools that the prompt describes to the model. */
  readonly tools: readonly JsonObject[];
  /** The tools as JSON text, where they came as JSON: then numbers print in their original form. */
  readonly toolsSource?: string | undefined;
  /** More variables for the template; they do not replace those of the conversation. */
  readonly variables?: JsonObject | undefined;
  readonly variablesSource?: string | undefined;
  readonly thinking: Thinking;
  /** Control tokens in the text of messages and tools count as control tokens; otherwise they are text. */
  readonly trustsControlTokens: boolean;
  /** Fields that the template does not use are silently left out; otherwise they are refused. */
  readonly dropsUnsupported: boolean;
  readonly fields: FieldNames;
}

/** Answers a conversation. */
export interface ChatRequest extends ChatPrompt, CompletionWishes {
  readonly kind: 'chat';
  /** The first complete tool call ends the answer. */
  readonly endsWithFirstCall: boolean;
  readonly toolChoice?: ToolCallRule | undefined;
  /** Tools that the answer must not call: calls that the model writes anyway are left out. Absent: calls are given out. */
  readonly withheldTools?: readonly JsonObject[] | undefined;
  /** The oldest turns are left out where the context is too small for all; otherwise such a request is refused. */
  readonly dropsOldest?: boolean | undefined;
  /** The text that a model without a chat template continues instead. Absent: it refuses the conversation. */
  readonly textWithoutTemplate?: string | undefined;
}

/** Continues prompts as they are, without a template. */
export interface TextRequest extends CompletionWishes {
  readonly kind: 'text';
  /** Each a text or token ids. */
  readonly prompts: readonly (string | readonly number[])[];
  /** Each answer begins with its prompt. */
  readonly echo: boolean;
  /** Control tokens in the prompts are text. */
  readonly readsControlTokensAsText: boolean;
}

/** A request of either kind. */
export type CompletionRequest = ChatRequest | TextRequest;

/** A wire's names of the fields, for errors. */
export interface FieldNames {
  readonly prompt: string;
  readonly tools: string;
  readonly messages: string;
  /** The message at `index`. */
  readonly message: (index: number) => string;
  /** The calls of the message at `index`. */
  readonly calls: (index: number) => string;
  /** The field for thinking; undefined in a request without one. */
  readonly thinking: string | undefined;
  /** The setting of a request that drops unsupported fields. */
  readonly dropsUnsupported: string;
  /** The field of `format`. */
  readonly format: string;
  readonly toolChoice: string;
  /** The schema of the arguments of the tool at `index`. */
  readonly toolSchema: (index: number) => string;
  /** Advice on a schema that cannot be enforced, for a wire without `strict: false`: the end of a sentence. */
  readonly schemaAdvice?: string | undefined;
  readonly stopTokenIds: string;
  /** The bias of the token `id`, the `index`th. */
  readonly logitBias: (id: number, index: number) => string;
  /** The token ids of an earlier answer; absent where a wire has no field for them. */
  readonly earlier?: string;
}

/** Names of the fields without a wire: those of this module. */
export const neutralFields: FieldNames = {
  prompt: 'prompts',
  tools: 'tools',
  messages: 'messages',
  message: (index) => `messages[${index}]`,
  calls: (index) => `messages[${index}].calls`,
  thinking: 'thinking',
  dropsUnsupported: 'dropsUnsupported',
  format: 'format',
  toolChoice: 'toolChoice',
  toolSchema: (index) => `tools[${index}].function.parameters`,
  stopTokenIds: 'stopTokenIds',
  logitBias: (_, index) => `logitBias[${index}]`,
};
