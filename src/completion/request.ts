// What completions are asked for, in the words of no wire. A wire's dialect makes these of its requests, checked.
import type { Absentable, SamplerValues, Sampling, SamplingDefaultsName } from '../engine/index.js';

/** A JSON object that is handed to a template as it is. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A call that an assistant's message made. */
export interface MessageCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** JSON, as the model wrote it; '' is none. */
  readonly argumentsText: string;
}

/** One turn of a conversation. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly name?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly calls?: readonly MessageCall[] | undefined;
  /** The call that a tool's message answers. */
  readonly callId?: string | undefined;
}

/** What a request says of thinking. */
export interface Thinking {
  /** Absent: the template's own default. */
  readonly enabled?: boolean;
  /** The most tokens between the tags. */
  readonly budgetTokens?: number;
  /** The same as a part of all completion tokens. */
  readonly budgetShare?: number;
  /** Reasoning is counted, and not given out. */
  readonly isHidden: boolean;
}

/** How tokens are chosen. */
export interface SamplingChoice {
  /** The samplers' numbers. */
  readonly values: Absentable<SamplerValues>;
  /** Whose defaults hold for absent numbers that the model's makers do not recommend either. Absent: what is absent is neutral. */
  readonly defaults?: SamplingDefaultsName | undefined;
  /** Texts across which nothing counts as repeated, for DRY. */
  readonly breakers?: readonly string[] | undefined;
  readonly logitBias?: Sampling['logitBias'];
  /** Absent: another each time. */
  readonly seed?: number | bigint | undefined;
  /** Token ids that end an answer besides the model's own. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /** The model's own do not end it. */
  readonly ignoresModelStops?: boolean | undefined;
}

/** What an answer must look like. After reasoning, where there is any. */
export type AnswerFormat =
  /** A JSON object. */
  | { readonly kind: 'json' }
  /** JSON that a schema describes. What of it cannot be held is refused; not `isStrict`: it is left open, and named. */
  | { readonly kind: 'jsonSchema'; readonly schema: JsonObject | boolean; readonly isStrict: boolean }
  /** A text that an expression of ECMA-262 describes as a whole. */
  | { readonly kind: 'regex'; readonly pattern: string }
  /** One of these texts. */
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  /** A text of a grammar in llama.cpp's notation. */
  | { readonly kind: 'gbnf'; readonly text: string };

/** Which tools an answer calls. Absent: as the model likes. */
export interface ToolChoice {
  /** It calls at least one. */
  readonly isRequired: boolean;
  /** It calls only these; absent: any that was offered. */
  readonly names?: readonly string[] | undefined;
}

/** What requests for chat and for text have in common. */
export interface CompletionWishes {
  readonly sampling: SamplingChoice;
  /** Choices of each prompt. */
  readonly n: number;
  /** Absent: as many as there is room for. */
  readonly maxTokens?: number | undefined;
  readonly stops: readonly string[];
  /** The stop string that ends an answer is part of it. */
  readonly keepsStop: boolean;
  /** Tell the logprob of each token of the content, and of so many alternatives. */
  readonly logprobs?: number | undefined;
  /** Shares cached prefixes with requests of the same salt only. */
  readonly cacheSalt?: string | undefined;
  /** Absent: any text. */
  readonly format?: AnswerFormat | undefined;
  /** Tell the token ids of prompt and answer with the end. */
  readonly tellsTokenIds?: boolean | undefined;
  /** Token ids that stand before the prompt: of an earlier answer that this one continues. */
  readonly earlierTokenIds?: readonly number[] | undefined;
  /** What the request's wire calls the fields that errors name. */
  readonly fields: FieldNames;
}

/** What makes the prompt of a conversation. */
export interface ChatPrompt {
  readonly messages: readonly Message[];
  /** What the model is told that it may call. */
  readonly tools: readonly JsonObject[];
  /** The tools as JSON text, where they came as JSON: then numbers print as they were written. */
  readonly toolsSource?: string | undefined;
  /** More variables for the template; they do not replace those that the conversation gives. */
  readonly variables?: JsonObject | undefined;
  readonly variablesSource?: string | undefined;
  readonly thinking: Thinking;
  /** Control tokens in the text of messages and tools are control tokens; else they are text. */
  readonly trustsControlTokens: boolean;
  /** What the template makes no use of is left out in silence; else it is refused. */
  readonly dropsUnsupported: boolean;
  readonly fields: FieldNames;
}

/** Answers a conversation. */
export interface ChatRequest extends ChatPrompt, CompletionWishes {
  readonly kind: 'chat';
  /** The first complete tool call ends the answer. */
  readonly endsWithFirstCall: boolean;
  readonly toolChoice?: ToolChoice | undefined;
  /** Tools that the answer must not call: calls that the model writes anyway are left out. Absent: calls are given out. */
  readonly withheldTools?: readonly JsonObject[] | undefined;
  /** The oldest turns are left out where the context has no room for all; else such a request is refused. */
  readonly dropsOldest?: boolean | undefined;
  /** What a model without a chat template continues instead. Absent: it refuses the conversation. */
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

/** What a wire calls the fields of which errors speak. */
export interface FieldNames {
  readonly prompt: string;
  readonly tools: string;
  readonly messages: string;
  /** The message at `index`. */
  readonly message: (index: number) => string;
  /** The calls of the message at `index`. */
  readonly calls: (index: number) => string;
  /** By which thinking was asked for or against; undefined where nothing was. */
  readonly thinking: string | undefined;
  /** How a request says that what is not supported shall be left out. */
  readonly dropsUnsupported: string;
  /** By which `format` was asked for. */
  readonly format: string;
  readonly toolChoice: string;
  /** The schema of the arguments of the tool at `index`. */
  readonly toolSchema: (index: number) => string;
  /** What a client can do about a schema that cannot be enforced, where its wire has no `strict: false`: the end of a sentence. */
  readonly schemaAdvice?: string | undefined;
  readonly stopTokenIds: string;
  /** The bias of the token `id`, the `index`th. */
  readonly logitBias: (id: number, index: number) => string;
  /** The token ids of an earlier answer; absent where a wire has no field for them. */
  readonly earlier?: string;
}

/** What errors call the fields where no wire is: the names that they have here. */
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
