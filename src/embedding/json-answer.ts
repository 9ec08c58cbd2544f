import { AppError, checkOptions, flag, type OptionTable } from '../base/index.js';
import { readSchema } from './answer-schema.js';
import { chatOptions, type ChatOptions } from './call-options.js';
import type { ChatCompletion } from './chat-answers.js';
import type { FormatFields } from './chat-formats.js';
import type { ChatMessage } from './chat-messages.js';
import type { ChatCompletionRequest } from './chat-request.js';
import { refuseSetFields, renamed } from './refusals.js';

/** Fields that `json` sets itself, or that would change its result. */
const SET_HERE = [
  'response_format',
  'structured_outputs',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'grammar',
  'json_schema',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'n',
  'stream',
  'stream_options',
  'stop',
  'include_stop_str_in_output',
  'logprobs',
  'top_logprobs',
] as const satisfies readonly (keyof FormatFields | keyof ChatCompletionRequest)[];

/** A chat request whose answer is one JSON value. It sets no format, tools, choices, stop texts or stream. */
export type JsonRequest = Omit<ChatCompletionRequest, (typeof SET_HERE)[number]>;

/** Options of `json`: abort signal, scheduling, the callback for usage, and strictness of the schema. */
export interface JsonOptions extends Omit<ChatOptions, 'modelName'> {
  /**
   * false: unsupported parts of the schema are left open during generation; a schema library judges them afterwards.
   * Default true: they are refused (`unsupported_schema`).
   */
  readonly strict?: boolean | null | undefined;
}

const { modelName: _, ...callOptions }: OptionTable<ChatOptions> = chatOptions;
const jsonOptions: OptionTable<JsonOptions> = { ...callOptions, strict: flag };

/** Sends a request to the model. */
type Chat = (request: ChatCompletionRequest, options: ChatOptions) => Promise<ChatCompletion>;

/**
 * Generates an answer under a schema, parses it, and lets the schema's library judge it. Errors: those of a chat;
 * `unsupported_schema` and the others of grammars; `answer_incomplete`, `answer_invalid`.
 */
export async function answerJson(
  chat: Chat,
  schema: unknown,
  request: readonly ChatMessage[] | JsonRequest,
  options: JsonOptions | undefined,
): Promise<unknown> {
  const { json, judge } = readSchema(schema, 'schema');
  const { onUsage, strict = true, ...call } = checkOptions<JsonOptions>('json', options, jsonOptions);
  const asked = Array.isArray(request) ? { messages: request as readonly ChatMessage[] } : (request as JsonRequest);
  refuseSetFields(asked, SET_HERE, 'beside a schema');
  const response_format = { type: 'json_schema', json_schema: { schema: json, strict } } as const;
  const { choices, usage } = await chat({ ...asked, response_format }, call).catch((error: unknown) => {
    throw renamed(error, /^response_format(\.json_schema\.schema)?/, 'schema');
  });
  onUsage?.(usage);
  const [choice] = choices;
  const text = choice?.message.content ?? '';
  const value = choice?.finish_reason === 'stop' ? parse(text) : undefined;
  if (value === undefined) throw incomplete(text, usage.completion_tokens);
  const verdict = await judge(value);
  if ('value' in verdict) return verdict.value;
  throw new AppError(
    'answer_invalid',
    `the answer fits the JSON Schema, and the schema refuses it: ${verdict.problem}`,
  );
}

/** Parses the JSON of a whole answer. Undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function incomplete(text: string, completionTokens: number): AppError {
  const message = `the answer ended after ${completionTokens} tokens and ${text.length} characters of it, before its JSON was whole; raise max_tokens, shorten the prompt, or bound the arrays and texts of the schema`;
  return new AppError('answer_incomplete', message, { completionTokens, length: text.length });
}
