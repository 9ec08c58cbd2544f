import { Type } from '../../schema/index.js';

/** A token with its log-probability. `bytes` may be part of a character; `token` is their text, U+FFFD for such a part. */
const LogprobOfToken = { token: Type.String(), logprob: Type.Number(), bytes: Type.Array(Type.Integer()) };

/** One token of the content. A logprob of minus infinity is −9999, as at OpenAI: JSON has no infinity. */
export const TokenLogprob = Type.Object({
  ...LogprobOfToken,
  /** The likeliest tokens at its position, likeliest first. */
  top_logprobs: Type.Array(Type.Object(LogprobOfToken)),
});
export type TokenLogprob = Type.Static<typeof TokenLogprob>;

/**
 * The log-probabilities of a choice or a chunk: its content's tokens in order. Their joined bytes are the content,
 * possibly followed by those of a character that the end of the answer cut. Bytes that are no text are U+FFFD in the
 * content.
 */
export const ChoiceLogprobs = Type.Object({ content: Type.Array(TokenLogprob), refusal: Type.Null() });
export type ChoiceLogprobs = Type.Static<typeof ChoiceLogprobs>;
