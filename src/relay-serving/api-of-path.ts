import { dialects } from '../relay/index.js';
import { passedThrough, passedToOllama, relayedApis, type RelayedApi } from './relayed-api.js';

/**
 * Ends of paths on which no model computes anything. Sources: Anthropic's and OpenAI's API (`count_tokens`,
 * `responses/input_tokens`), Gemini's (`:countTokens`), vLLM and llama.cpp (`tokenize`, `detokenize`, `apply-template`),
 * Ollama (`/api/show`).
 */
const FREE = /\/(?:count_tokens|responses\/input_tokens|tokenize|detokenize|apply-template|api\/show)$|:countTokens$/;

const OLLAMA = /(?:^|\/)api\/[a-z]+$/;
const OLLAMA_EMBEDS = /(?:^|\/)api\/embed(?:dings)?$/;

const known: readonly RelayedApi[] = Object.values<RelayedApi>(relayedApis);

/** The API of a path that a configuration lists: a known API whose path it ends with, else an unknown API that is free or not. */
export function apiOfPath(path: string): RelayedApi {
  const end = path.replace(/\/+$/, '');
  return known.find((api) => end.endsWith(api.path)) ?? plainApiOf(end);
}

/** The same for a path that must not match a known API. */
export function plainApiOf(path: string): RelayedApi {
  if (OLLAMA_EMBEDS.test(path)) return { ...passedToOllama, dialect: dialects.embeddings };
  const api = OLLAMA.test(path) ? passedToOllama : passedThrough;
  return FREE.test(path) ? { ...api, isFree: true } : api;
}
