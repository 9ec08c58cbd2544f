// The engine's door: ids and numbers from a program that embeds it, before they reach a thread.

import { AppError } from '../base/index.js';
import type { GenerateRequest } from './request.js';

interface Limits {
  readonly contextLength: number;
  readonly vocabSize: number;
}

/** Errors: `invalid_value`, `context_length_exceeded`. */
export function checkRequest(request: GenerateRequest, limits: Limits): void {
  checkPrompt(request.promptTokenIds, limits);
  const { maxTokens, sampling } = request;
  if (!Number.isInteger(maxTokens) || maxTokens < 1) throw invalid('maxTokens', maxTokens, 'a whole number from 1 on');
  const { temperature, topP, topK, minP, seed } = sampling;
  if (!(temperature >= 0 && temperature <= 100)) throw invalid('temperature', temperature, 'from 0 to 100');
  if (!(topP >= 0 && topP <= 1)) throw invalid('topP', topP, 'from 0 to 1');
  if (!Number.isInteger(topK) || topK < -1) throw invalid('topK', topK, 'a whole number; 0 or -1 is off');
  if (!(minP >= 0 && minP <= 1)) throw invalid('minP', minP, 'from 0 to 1');
  if (!Number.isSafeInteger(seed)) throw invalid('seed', seed, 'a whole number within ±(2^53 − 1)');
}

/** Errors: `invalid_value`, `context_length_exceeded`. */
export function checkPrompt(tokenIds: readonly number[], { contextLength, vocabSize }: Limits): void {
  if (tokenIds.length === 0) throw new AppError('invalid_value', 'the prompt has no tokens; at least one is needed');
  if (tokenIds.length >= contextLength) {
    throw new AppError(
      'context_length_exceeded',
      `the prompt has ${tokenIds.length} tokens and the context ${contextLength}; at most ${contextLength - 1} leave room for an answer`,
      { n_prompt_tokens: tokenIds.length, n_ctx: contextLength },
    );
  }
  const bad = tokenIds.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
  if (bad !== -1) throw invalid(`promptTokenIds[${bad}]`, tokenIds[bad], `a whole number from 0 to ${vocabSize - 1}`);
}

function invalid(field: string, value: unknown, expected: string): AppError {
  return new AppError('invalid_value', `${field} is ${String(value)}; it must be ${expected}`, { field });
}
