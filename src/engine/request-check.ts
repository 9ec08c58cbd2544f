// The engine's door: ids and numbers from a program that embeds it, before they reach a thread.

import { AppError } from '../base/index.js';
import type { GenerateRequest } from './request.js';

interface Limits {
  readonly contextLength: number;
  readonly vocabSize: number;
}

/** Errors: `invalid_value`, `context_length_exceeded`. */
export function checkRequest(request: GenerateRequest, limits: Limits): void {
  checkIds(request.promptTokenIds, limits);
  const numTokens = request.promptTokenIds.length;
  if (numTokens >= limits.contextLength) {
    throw tooLong(numTokens, limits, `at most ${limits.contextLength - 1} leave room for an answer`);
  }
  const { maxTokens, sampling } = request;
  if (!Number.isInteger(maxTokens) || maxTokens < 1) throw invalid('maxTokens', maxTokens, 'a whole number from 1 on');
  const { temperature, topP, topK, minP, seed } = sampling;
  if (!(temperature >= 0 && temperature <= 100)) throw invalid('temperature', temperature, 'from 0 to 100');
  if (!(topP >= 0 && topP <= 1)) throw invalid('topP', topP, 'from 0 to 1');
  if (!Number.isInteger(topK) || topK < -1) throw invalid('topK', topK, 'a whole number; 0 or -1 is off');
  if (!(minP >= 0 && minP <= 1)) throw invalid('minP', minP, 'from 0 to 1');
  if (!Number.isSafeInteger(seed)) throw invalid('seed', seed, 'a whole number within ±(2^53 − 1)');
}

/** Tokens to be scored only: they may fill the context. Errors: `invalid_value`, `context_length_exceeded`. */
export function checkForward(tokenIds: readonly number[], limits: Limits): void {
  checkIds(tokenIds, limits);
  if (tokenIds.length > limits.contextLength) throw tooLong(tokenIds.length, limits, 'no more can be scored at once');
}

function checkIds(tokenIds: readonly number[], { vocabSize }: Limits): void {
  if (tokenIds.length === 0) throw new AppError('invalid_value', 'the prompt has no tokens; at least one is needed');
  const bad = tokenIds.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
  if (bad !== -1) throw invalid(`promptTokenIds[${bad}]`, tokenIds[bad], `a whole number from 0 to ${vocabSize - 1}`);
}

function tooLong(numTokens: number, { contextLength }: Limits, rule: string): AppError {
  return new AppError(
    'context_length_exceeded',
    `the prompt has ${numTokens} tokens and the context holds ${contextLength}; ${rule}`,
    { n_prompt_tokens: numTokens, n_ctx: contextLength },
  );
}

function invalid(field: string, value: unknown, expected: string): AppError {
  return new AppError('invalid_value', `${field} is ${String(value)}; it must be ${expected}`, { field });
}
