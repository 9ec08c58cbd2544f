import type { ErrorData, KindOf } from '../base/index.js';
import { Type } from '../schema/index.js';
import { toHttpAnswer } from './http-answers.js';

/**
 * The body of every failed answer on the OpenAI-shaped routes. The four keys are always there. The error of a prompt
 * that is too long also has its length and the limit, under llama.cpp's names.
 */
export const ErrorBody = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
    code: Type.Union([Type.String(), Type.Null()]),
    n_prompt_tokens: Type.Optional(Type.Integer()),
    n_ctx: Type.Optional(Type.Integer()),
  }),
});
export type ErrorBody = Type.Static<typeof ErrorBody>;

/** The public part of an error. For a private error it says only where to look. */
export function toErrorBody({ code, message, details }: ErrorData, kindOf: KindOf): ErrorBody {
  const { type, code: knownCode = code, isPrivate = false } = toHttpAnswer(code, kindOf);
  if (isPrivate) {
    const hidden = 'the server failed; its log has the reason under the x-request-id of this answer';
    return {
      error: { message: hidden, type, param: null, code: kindOf(code) === undefined ? 'internal_error' : code },
    };
  }
  const { param, n_prompt_tokens: promptTokens, n_ctx: context } = details;
  return {
    error: {
      message,
      type,
      param: typeof param === 'string' ? param : null,
      code: knownCode,
      ...(typeof promptTokens === 'number' && { n_prompt_tokens: promptTokens }),
      ...(typeof context === 'number' && { n_ctx: context }),
    },
  };
}
