import type { ApiDialect } from '../answer/dialect.js';
import { chatCompletions } from './chat-completions.js';
import { completions } from './completions.js';
import { embeddings } from './embeddings.js';
import { messages } from './messages.js';
import { rerank } from './rerank.js';
import { responses } from './responses.js';

/** APIs whose answers the relay reads for their cost, by name. */
export const dialects = {
  'chat-completions': chatCompletions,
  completions,
  embeddings,
  rerank,
  responses,
  messages,
} as const satisfies Readonly<Record<string, ApiDialect>>;

/** The name of an API. */
export type DialectName = keyof typeof dialects;
