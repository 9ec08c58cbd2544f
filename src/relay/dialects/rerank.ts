import type { ApiDialect } from '../answer/dialect.js';
import { embeddings } from './embeddings.js';

/**
 * Rerankings: indexes and scores, so a body has no completion. Sources: Jina's and vLLM's API (`usage`), Cohere's
 * (`meta`).
 */
export const rerank: ApiDialect = { ...embeddings, path: '/v1/rerank' };
