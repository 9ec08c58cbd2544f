// How many tokens a request may cost, from its body.
import { AppError } from '../base/index.js';
import type { RequestFacts } from '../relay/index.js';
import { findMediaParts } from './media-parts.js';
import type { RelayedApi } from './relayed-api.js';

/** Bytes that make a token at least, on average over a prompt: one of Chinese or of code has more. */
const BYTES_PER_TOKEN = 2;
/** Answers of one request at most: OpenAI takes 128 of one prompt, and 2,048 inputs. */
const MAX_CHOICES = 2_048;

/** Tokens of an image or a sound: runtimes count some 300 to 1,500, whatever its bytes. */
const MEDIA_TOKENS = 2_048;

/**
 * Upper bound of prompt tokens: of its text by its bytes, and as many for each image or sound; none where an API is
 * free.
 */
export function promptBoundOf({ isFree }: Pick<RelayedApi, 'isFree'>, body: Uint8Array, facts: RequestFacts): number {
  if (isFree) return 0;
  const { count, bytes } = findMediaParts(body, facts);
  return Math.ceil(Math.max(0, facts.promptBytes - bytes) / BYTES_PER_TOKEN) + count * MEDIA_TOKENS;
}

/** Completions that a request asks for: of each prompt `n`, or `best_of`. */
export function choicesOf({ n, bestOf, promptCount }: RequestFacts): number {
  const each = Math.max(1, Math.ceil(n ?? 1), Math.ceil(bestOf ?? 1));
  return Math.min(MAX_CHOICES, each * promptCount);
}

/** Completion tokens at most of one choice, by the request and by `limits`; undefined: neither sets one. */
export function outputLimitOf(
  { dialect }: RelayedApi,
  { maxOutputTokens }: RequestFacts,
  limits: readonly (number | undefined)[] = [],
): number | undefined {
  // Embeddings, and answers that the relay does not read, have no completion.
  if (dialect?.hasCompletion !== true) return 0;
  const given = [maxOutputTokens, ...limits].filter((limit) => limit !== undefined && limit > 0) as number[];
  return given.length === 0 ? undefined : Math.ceil(Math.min(...given));
}

/** Refuses a request for more completions than the limit. Errors: `invalid_value`. */
export function checkChoices({ n, bestOf, promptCount }: RequestFacts): void {
  if (Math.max(n ?? 1, bestOf ?? 1) * promptCount <= MAX_CHOICES) return;
  const message = `the request asks for more than ${MAX_CHOICES} completions; lower n, best_of or the number of prompts`;
  throw new AppError('invalid_value', message, { param: 'n' });
}
