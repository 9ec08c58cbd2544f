import { Type } from '../../schema/index.js';
import { Usage } from '../chat/chat-response.js';

/** Logprobs of a text completion: four lists with one entry a token. `text_offset` counts UTF-16 units of the text. */
export const TextLogprobs = Type.Object({
  tokens: Type.Array(Type.String()),
  token_logprobs: Type.Array(Type.Number()),
  /** The likeliest tokens at its position; of two with the same text, the likelier. */
  top_logprobs: Type.Array(Type.Record(Type.String(), Type.Number())),
  text_offset: Type.Array(Type.Integer()),
});
export type TextLogprobs = Type.Static<typeof TextLogprobs>;

const head = {
  id: Type.String(),
  object: Type.Enum(['text_completion']),
  created: Type.Integer(),
  model: Type.String(),
  system_fingerprint: Type.String(),
};
const choice = {
  /** For prompt p and choice c: p · n + c. */
  index: Type.Integer(),
  text: Type.String(),
  logprobs: Type.Union([TextLogprobs, Type.Null()]),
};
const TextFinishReason = Type.Enum(['stop', 'length']);

/** A whole answer of the older completions API. `created` in seconds since 1970. */
export const TextCompletion = Type.Object({
  ...head,
  choices: Type.Array(Type.Object({ ...choice, finish_reason: TextFinishReason })),
  usage: Usage,
});
export type TextCompletion = Type.Static<typeof TextCompletion>;

/** One event of a streamed answer. `usage` is null until the last chunk, which has it only if the request asked for it. */
export const TextCompletionChunk = Type.Object({
  ...head,
  choices: Type.Array(Type.Object({ ...choice, finish_reason: Type.Union([TextFinishReason, Type.Null()]) })),
  usage: Type.Optional(Type.Union([Usage, Type.Null()])),
});
export type TextCompletionChunk = Type.Static<typeof TextCompletionChunk>;
