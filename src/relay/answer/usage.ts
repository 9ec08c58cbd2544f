/** Tokens of one answer. */
export interface AnswerUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompt, those that the runtime had computed before. */
  readonly cachedTokens: number;
  /** Of the completion, those of its reasoning. */
  readonly reasoningTokens: number;
  /** The runtime did not tell, so that tokens were counted from chunks or bytes. */
  readonly isEstimated: boolean;
}

/** What a runtime told, as far as it did. */
export interface ToldUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
}

/**
 * Reads a `usage` object in either of its spellings: prompt and completion tokens, or input and output tokens. With
 * Anthropic's names the tokens that were read from, or written to, a cache are not part of `input_tokens`. Undefined: it is
 * no such object.
 */
export function readUsage(usage: unknown): ToldUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const own = count(usage['prompt_tokens']) ?? count(usage['input_tokens']);
  const completionTokens = count(usage['completion_tokens']) ?? count(usage['output_tokens']);
  if (own === undefined && completionTokens === undefined) return undefined;
  const read = count(usage['cache_read_input_tokens']);
  const beside = (read ?? 0) + (count(usage['cache_creation_input_tokens']) ?? 0);
  const inside = detail(usage, 'cached_tokens', 'prompt_tokens_details', 'input_tokens_details');
  const cachedTokens = read ?? inside;
  const reasoningTokens = detail(usage, 'reasoning_tokens', 'completion_tokens_details', 'output_tokens_details');
  return {
    ...(own !== undefined && { promptTokens: own + beside }),
    ...(completionTokens !== undefined && { completionTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

/** Whether `value` is an object with members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function detail(
  usage: Readonly<Record<string, unknown>>,
  name: string,
  ...places: readonly string[]
): number | undefined {
  for (const place of places) {
    const details = usage[place];
    const value = isRecord(details) ? count(details[name]) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A number of tokens; what else an upstream may say there counts as not said. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Longest text of a chunk that is taken for one token; tokens of words have up to some 16 bytes. */
const ONE_TOKEN_BYTES = 16;
/** Bytes of English text a token, on average. */
const BYTES_PER_TOKEN = 4;

/** Tokens of a chunk whose text has `bytes` bytes: one, as most runtimes send them, unless it is too long for one. */
export function estimateChunk(bytes: number): number {
  if (bytes === 0) return 0;
  return bytes <= ONE_TOKEN_BYTES ? 1 : Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Tokens of a text of `bytes` bytes. */
export function estimateText(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
