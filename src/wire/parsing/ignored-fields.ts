/**
 * Fields of other servers' chat requests that change no answer: they are accepted and ignored. They concern features
 * that an engine in one's own process lacks: a provider, a cache, a store of answers.
 */
export const ignoredFields = [
  'web_search_options',
  'store',
  'metadata',
  'user',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'verbosity',
  'prediction',
  'moderation',
  // llama.cpp
  'cache_prompt',
  'id_slot',
  'timings_per_token',
  'return_progress',
  'mirostat_tau',
  'mirostat_eta',
  'dynatemp_exponent',
  // Ollama
  'keep_alive',
  'num_ctx',
  // LM Studio
  'ttl',
  'draft_model',
  // vLLM
  'request_id',
  // OpenRouter
  'provider',
  'models',
  'route',
  'usage',
] as const;
