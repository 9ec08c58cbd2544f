/** What a number counts. */
export type UsagePart = 'prompt' | 'completion' | 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning';

/** A form in which a part is reported. */
export interface UsageForm {
  readonly part: UsagePart;
  /** Members, from the object of usage down with dots between. Several are added up. */
  readonly names: readonly [string, ...string[]];
  /**
   * The name of a prompt or a completion that excludes these tokens. Absent: it includes them, unless that is
   * impossible, or the total contradicts it.
   */
  readonly besideOf?: string;
  /** It may also be in the root of an answer, beside its content. */
  readonly isAtRoot?: true;
  /** The providers that report it so, or the document that specifies it. */
  readonly source: string;
}

/**
 * The forms in which providers report tokens, by their public APIs and reports of November 2026. Of several names for a
 * prompt or for a completion the first that is not zero counts; of several for another part the largest.
 */
export const USAGE_FORMS: readonly UsageForm[] = [
  { part: 'prompt', names: ['prompt_tokens'], source: "OpenAI's chat completions, and most others" },
  { part: 'prompt', names: ['input_tokens'], source: "OpenAI's responses; Anthropic's messages; Cohere" },
  { part: 'prompt', names: ['prompt_eval_count'], isAtRoot: true, source: "Ollama's /api" },
  { part: 'prompt', names: ['inputTokens'], source: 'Amazon Bedrock, Converse' },
  { part: 'prompt', names: ['promptTokenCount', 'toolUsePromptTokenCount'], source: 'Gemini, usageMetadata' },
  { part: 'prompt', names: ['tokens_evaluated'], isAtRoot: true, source: "llama.cpp's /completion" },

  { part: 'completion', names: ['completion_tokens'], source: "OpenAI's chat completions, and most others" },
  { part: 'completion', names: ['output_tokens'], source: "OpenAI's responses; Anthropic's messages; Cohere" },
  { part: 'completion', names: ['eval_count'], isAtRoot: true, source: "Ollama's /api" },
  { part: 'completion', names: ['outputTokens'], source: 'Amazon Bedrock, Converse' },
  { part: 'completion', names: ['candidatesTokenCount'], source: 'Gemini, usageMetadata' },
  { part: 'completion', names: ['tokens_predicted'], isAtRoot: true, source: "llama.cpp's /completion" },
  { part: 'completion', names: ['generated_tokens'], source: "text-generation-inference's /generate, details" },

  { part: 'total', names: ['total_tokens'], source: 'OpenAI; alone: embeddings and reranking of Voyage and Jina' },
  { part: 'total', names: ['totalTokens'], source: 'Amazon Bedrock, Converse' },
  { part: 'total', names: ['totalTokenCount'], source: 'Gemini, usageMetadata' },

  { part: 'cacheRead', names: ['prompt_tokens_details.cached_tokens'], source: "OpenAI's chat completions" },
  { part: 'cacheRead', names: ['input_tokens_details.cached_tokens'], source: "OpenAI's responses" },
  {
    part: 'cacheRead',
    names: ['cache_read_input_tokens'],
    besideOf: 'input_tokens',
    source: "Anthropic's messages; beside prompt_tokens, which have them: LiteLLM",
  },
  { part: 'cacheRead', names: ['prompt_cache_hit_tokens'], source: 'DeepSeek' },
  { part: 'cacheRead', names: ['cached_tokens'], source: 'Kimi' },
  { part: 'cacheRead', names: ['cacheReadInputTokens'], besideOf: 'inputTokens', source: 'Amazon Bedrock, Converse' },
  { part: 'cacheRead', names: ['cachedContentTokenCount'], source: 'Gemini, usageMetadata' },

  { part: 'cacheWrite', names: ['prompt_tokens_details.cache_creation_tokens'], source: 'LiteLLM' },
  { part: 'cacheWrite', names: ['prompt_tokens_details.cache_write_tokens'], source: 'OpenRouter' },
  { part: 'cacheWrite', names: ['input_tokens_details.cache_creation_tokens'], source: 'LiteLLM, responses' },
  {
    part: 'cacheWrite',
    names: ['cache_creation_input_tokens'],
    besideOf: 'input_tokens',
    source: "Anthropic's messages; beside prompt_tokens, which have them: LiteLLM",
  },
  {
    part: 'cacheWrite',
    names: ['cache_creation.ephemeral_5m_input_tokens', 'cache_creation.ephemeral_1h_input_tokens'],
    besideOf: 'input_tokens',
    source: "Anthropic's messages, by how long they are kept",
  },
  { part: 'cacheWrite', names: ['cacheWriteInputTokens'], besideOf: 'inputTokens', source: 'Amazon Bedrock, Converse' },

  { part: 'reasoning', names: ['completion_tokens_details.reasoning_tokens'], source: "OpenAI's chat completions" },
  { part: 'reasoning', names: ['output_tokens_details.reasoning_tokens'], source: "OpenAI's responses" },
  { part: 'reasoning', names: ['output_tokens_details.thinking_tokens'], source: "Anthropic's messages" },
  { part: 'reasoning', names: ['reasoning_tokens'], source: 'xAI; chat completions of Gemini and Perplexity' },
  {
    part: 'reasoning',
    names: ['thoughtsTokenCount'],
    besideOf: 'candidatesTokenCount',
    source: 'Gemini, usageMetadata',
  },
];

/**
 * Where an answer, or an event of a stream, has its usage object: members from its root down, `0` for the first of a
 * list. The first one that is present counts.
 */
export const USAGE_PLACES: readonly (readonly string[])[] = [
  ['usage'],
  // Anthropic's message_start.
  ['message', 'usage'],
  // OpenAI's response.completed.
  ['response', 'usage'],
  // Kimi's streams.
  ['choices', '0', 'usage'],
  // Groq's streams.
  ['x_groq', 'usage'],
  ['usageMetadata'],
  // Cohere's chat, and its embeddings and reranking.
  ['usage', 'tokens'],
  ['usage', 'billed_units'],
  ['meta', 'tokens'],
  ['meta', 'billed_units'],
  // text-generation-inference.
  ['details'],
];
