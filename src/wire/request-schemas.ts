// The schemas of requests: the fields that `api` spells, and the samplers'.
import { chatRequestFields, messagesRequestFields, responsesRequestFields, textRequestFields } from '../api/index.js';
import { Type } from '../schema/index.js';
import { samplerFields } from './sampler-fields.js';

/** A chat-completions request. */
export const ChatCompletionRequest = Type.Object({ ...chatRequestFields, ...samplerFields });
export type ChatCompletionRequest = Type.Static<typeof ChatCompletionRequest>;

/** A request of the older completions API. */
export const TextCompletionRequest = Type.Object({ ...textRequestFields, ...samplerFields });
export type TextCompletionRequest = Type.Static<typeof TextCompletionRequest>;

/** A request of the responses API. */
export const ResponsesRequest = Type.Object({ ...responsesRequestFields, ...samplerFields });
export type ResponsesRequest = Type.Static<typeof ResponsesRequest>;

/** A request of the messages API. */
export const MessagesRequest = Type.Object({ ...messagesRequestFields, ...samplerFields });
export type MessagesRequest = Type.Static<typeof MessagesRequest>;

/** The sampling fields of every request; each dialect spells the fields for logprobs in its own way. */
export type SamplingFields = Pick<
  TextCompletionRequest,
  | keyof typeof samplerFields
  | 'seed'
  | 'logit_bias'
  | 'ignore_eos'
  | 'stop_token_ids'
  | 'dry_sequence_breakers'
  | 'sampling_defaults'
>;
