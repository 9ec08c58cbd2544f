import type { EngineRoute } from '../engine-route.js';
import { ollamaRoutes } from '../ollama/routes/index.js';
import { chatCompletions } from './chat-completions.js';
import { completions } from './completions.js';
import { embeddings } from './embeddings.js';
import { health } from './health.js';
import { messages } from './messages.js';
import { messagesCountTokens } from './messages-count-tokens.js';
import { metrics } from './metrics.js';
import { model } from './model.js';
import { models } from './models.js';
import { ready } from './ready.js';
import { responses } from './responses.js';
import { root } from './root.js';
import { version } from './version.js';

/** Every endpoint of the engine but its own description, which is made of these. */
export const routes = {
  chatCompletions,
  completions,
  responses,
  messages,
  messagesCountTokens,
  embeddings,
  models,
  model,
  version,
  health,
  ready,
  metrics,
  root,
  ...ollamaRoutes,
} as const satisfies Record<string, EngineRoute>;
