import { Type } from '../../schema/index.js';
import { TokenLogprob } from '../chat/chat-logprobs.js';
import { TextFormat } from './responses-request.js';

const Status = Type.Enum(['in_progress', 'completed', 'incomplete']);
export type ItemStatus = Type.Static<typeof Status>;

/** A text of the answer. There are no annotations: nothing is looked up. */
export const OutputText = Type.Object({
  type: Type.Enum(['output_text']),
  text: Type.String(),
  annotations: Type.Array(Type.Never()),
  logprobs: Type.Array(TokenLogprob),
});
export type OutputText = Type.Static<typeof OutputText>;

/** Reasoning as the model wrote it. */
export const ReasoningText = Type.Object({ type: Type.Enum(['reasoning_text']), text: Type.String() });
export type ReasoningText = Type.Static<typeof ReasoningText>;

/** The same for clients that asked for a summary: the text is not shortened. */
export const SummaryText = Type.Object({ type: Type.Enum(['summary_text']), text: Type.String() });
export type SummaryText = Type.Static<typeof SummaryText>;

/** The assistant's message. */
export const MessageItem = Type.Object({
  type: Type.Enum(['message']),
  id: Type.String(),
  role: Type.Enum(['assistant']),
  status: Status,
  content: Type.Array(OutputText),
});
export type MessageItem = Type.Static<typeof MessageItem>;

/** A call of a client's function; `arguments` is JSON text, as the model wrote it. */
export const FunctionCallItem = Type.Object({
  type: Type.Enum(['function_call']),
  id: Type.String(),
  call_id: Type.String(),
  name: Type.String(),
  /** The function's group, where it came in one. */
  namespace: Type.Optional(Type.String()),
  arguments: Type.String(),
  status: Status,
});
export type FunctionCallItem = Type.Static<typeof FunctionCallItem>;

/** A call of a client's custom tool, with text. */
export const CustomCallItem = Type.Object({
  type: Type.Enum(['custom_tool_call']),
  id: Type.String(),
  call_id: Type.String(),
  name: Type.String(),
  namespace: Type.Optional(Type.String()),
  input: Type.String(),
  status: Status,
});
export type CustomCallItem = Type.Static<typeof CustomCallItem>;

/** The model's reasoning. */
export const ReasoningItem = Type.Object({
  type: Type.Enum(['reasoning']),
  id: Type.String(),
  summary: Type.Array(SummaryText),
  content: Type.Optional(Type.Array(ReasoningText)),
  /** The same text once more, if `include` asks for it: some clients send back only this. */
  encrypted_content: Type.Optional(Type.String()),
  status: Status,
});
export type ReasoningItem = Type.Static<typeof ReasoningItem>;

/** One item of an answer. */
export const OutputItem = Type.Union([MessageItem, FunctionCallItem, CustomCallItem, ReasoningItem]);
export type OutputItem = Type.Static<typeof OutputItem>;

/** Tokens of an answer. Reasoning is part of the output, cached tokens part of the input. */
export const ResponsesUsage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({ cached_tokens: Type.Integer(), cache_write_tokens: Type.Integer() }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  total_tokens: Type.Integer(),
});
export type ResponsesUsage = Type.Static<typeof ResponsesUsage>;

const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()]);

/** A function as answers repeat it. */
const EchoedFunction = Type.Object({
  type: Type.Enum(['function']),
  name: Type.String(),
  description: TextOrNull,
  parameters: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  strict: Type.Union([Type.Boolean(), Type.Null()]),
});

/** The same for a custom tool. */
const EchoedCustom = Type.Object({ type: Type.Enum(['custom']), name: Type.String() });

/** The cause of a failure, in OpenAI's codes: its clients know no others here. */
const FailureCode = Type.Enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']);

/** The fields of a request that its answer repeats, with the defaults of absent ones. */
export const responsesEchoFields = {
  instructions: TextOrNull,
  tools: Type.Array(Type.Union([EchoedFunction, EchoedCustom])),
  tool_choice: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())]),
  parallel_tool_calls: Type.Boolean(),
  text: Type.Object({ format: TextFormat, verbosity: Type.Optional(Type.Enum(['low', 'medium', 'high'])) }),
  reasoning: Type.Object({ effort: TextOrNull, summary: TextOrNull }),
  temperature: Type.Number(),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  top_logprobs: Type.Integer(),
  max_output_tokens: IntegerOrNull,
  max_tool_calls: Type.Null(),
  truncation: Type.Enum(['disabled']),
  metadata: Type.Record(Type.String(), Type.String()),
  prompt_cache_key: TextOrNull,
  safety_identifier: TextOrNull,
};
const ResponsesEcho = Type.Object(responsesEchoFields);
export type ResponsesEcho = Type.Static<typeof ResponsesEcho>;

/** An answer: in progress in the first events of a stream, then completed, incomplete or failed. Times in seconds since 1970. */
export const ResponseObject = Type.Object({
  id: Type.String(),
  object: Type.Enum(['response']),
  created_at: Type.Integer(),
  completed_at: IntegerOrNull,
  status: Type.Enum(['in_progress', 'completed', 'incomplete', 'failed']),
  error: Type.Union([Type.Object({ code: FailureCode, message: Type.String() }), Type.Null()]),
  incomplete_details: Type.Union([Type.Object({ reason: Type.Enum(['max_output_tokens']) }), Type.Null()]),
  model: Type.String(),
  output: Type.Array(OutputItem),
  usage: Type.Union([ResponsesUsage, Type.Null()]),
  previous_response_id: Type.Null(),
  store: Type.Literal(false),
  background: Type.Literal(false),
  service_tier: Type.Enum(['default']),
  ...responsesEchoFields,
});
export type ResponseObject = Type.Static<typeof ResponseObject>;
