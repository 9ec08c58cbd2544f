// How many tokens a request may cost, from its body.
import { AppError } from '../base/index.js';
import type { RequestFacts } from '../relay/index.js';
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

/** Images, sounds and files of a conversation as data URLs. */
interface MediaParts {
  readonly count: number;
  /** Of their URLs, as the body writes them. */
  readonly bytes: number;
}

/** Parts that are recognised as media; further ones are counted as text. */
const MAX_PARTS = 1_024;
const BEGIN = Buffer.from('"data:');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A slash may be escaped. Source: RFC 2397; RFC 8259, 7. */
const HEAD = /^"data:(?:image|audio|video|application)\\?\/[\w.+-]{1,64};base64,$/;
/** Of a head, quotes included. */
const MAX_HEAD = 96;

/** The data URLs in a conversation: base64 is not text, and its length does not show its tokens. */
export function findMediaParts(body: Uint8Array, { conversation }: RequestFacts): MediaParts {
  if (conversation === undefined) return { count: 0, bytes: 0 };
  const { start, end } = conversation;
  const text = Buffer.from(body.buffer, body.byteOffset + start, end - start);
  let [count, bytes] = [0, 0];
  for (let at = text.indexOf(BEGIN); at !== -1 && count < MAX_PARTS;) {
    const comma = text.indexOf(',', at);
    const close = text.indexOf(QUOTE, at + 1);
    if (close === -1) break;
    // An escaped quote is one within a text.
    const isHead = text[at - 1] !== BACKSLASH && comma !== -1 && comma < close && comma - at < MAX_HEAD;
    if (isHead && HEAD.test(text.toString('latin1', at, comma + 1))) {
      count++;
      bytes += close + 1 - at;
    }
    at = text.indexOf(BEGIN, close);
  }
  return { count, bytes };
}
