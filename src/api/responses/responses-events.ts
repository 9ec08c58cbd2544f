import { Type, type TSchema } from '../../schema/index.js';
import { TokenLogprob } from '../chat/chat-logprobs.js';
import { OutputItem, OutputText, ReasoningText, ResponseObject, SummaryText } from './responses-answer.js';

/** A schema of an event by its name, with its position in the stream, counted from 0. */
function event<Name extends string, Fields extends Record<string, TSchema>>(name: Name, fields: Fields) {
  return Type.Object({ type: Type.Enum([name]), sequence_number: Type.Integer(), ...fields });
}

const outputIndex = { output_index: Type.Integer() };
const ofItem = { item_id: Type.String(), ...outputIndex };
const ofPart = { ...ofItem, content_index: Type.Integer() };
const ofSummary = { ...ofItem, summary_index: Type.Integer() };
const logprobs = Type.Array(TokenLogprob);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const OutputPart = Type.Union([OutputText, ReasoningText]);

/** The error: at the top as in OpenAI's schema, and under `error` as its SDKs read it. */
export const ResponsesErrorEvent = event('error', {
  code: TextOrNull,
  message: Type.String(),
  param: TextOrNull,
  error: Type.Object({ type: Type.String(), code: TextOrNull, message: Type.String(), param: TextOrNull }),
});
export type ResponsesErrorEvent = Type.Static<typeof ResponsesErrorEvent>;

/** One event of a streamed answer. Source: OpenAI's API, streaming events of responses. */
export const ResponsesEvent = Type.Union([
  event('response.created', { response: ResponseObject }),
  event('response.in_progress', { response: ResponseObject }),
  event('response.output_item.added', { ...outputIndex, item: OutputItem }),
  event('response.content_part.added', { ...ofPart, part: OutputPart }),
  event('response.output_text.delta', { ...ofPart, delta: Type.String(), logprobs }),
  event('response.output_text.done', { ...ofPart, text: Type.String(), logprobs }),
  event('response.reasoning_text.delta', { ...ofPart, delta: Type.String() }),
  event('response.reasoning_text.done', { ...ofPart, text: Type.String() }),
  event('response.content_part.done', { ...ofPart, part: OutputPart }),
  event('response.reasoning_summary_part.added', { ...ofSummary, part: SummaryText }),
  event('response.reasoning_summary_text.delta', { ...ofSummary, delta: Type.String() }),
  event('response.reasoning_summary_text.done', { ...ofSummary, text: Type.String() }),
  event('response.reasoning_summary_part.done', { ...ofSummary, part: SummaryText }),
  event('response.function_call_arguments.delta', { ...ofItem, delta: Type.String() }),
  event('response.function_call_arguments.done', { ...ofItem, name: Type.String(), arguments: Type.String() }),
  event('response.custom_tool_call_input.delta', { ...ofItem, delta: Type.String() }),
  event('response.custom_tool_call_input.done', { ...ofItem, input: Type.String() }),
  event('response.output_item.done', { ...outputIndex, item: OutputItem }),
  event('response.completed', { response: ResponseObject }),
  event('response.incomplete', { response: ResponseObject }),
  event('response.failed', { response: ResponseObject }),
  ResponsesErrorEvent,
]);
export type ResponsesEvent = Type.Static<typeof ResponsesEvent>;
