// The registry of Ollama's endpoints. One line for each.
import type { EngineRoute } from '../../engine-route.js';
import { chat } from './chat.js';
import { copy } from './copy.js';
import { remove } from './delete.js';
import { embed } from './embed.js';
import { embeddings } from './embeddings.js';
import { generate } from './generate.js';
import { hub } from './hub.js';
import { ps } from './ps.js';
import { pull } from './pull.js';
import { show } from './show.js';
import { tags } from './tags.js';

/** Every endpoint below /api but the version, which is ours too. */
export const ollamaRoutes = {
  ollamaChat: chat,
  ollamaGenerate: generate,
  ollamaEmbed: embed,
  ollamaEmbeddings: embeddings,
  ollamaTags: tags,
  ollamaShow: show,
  ollamaPs: ps,
  ollamaPull: pull,
  ollamaPush: hub.push,
  ollamaCreate: hub.create,
  ollamaCopy: copy,
  ollamaDelete: remove,
  ollamaFindBlob: hub.findBlob,
  ollamaAddBlob: hub.addBlob,
} as const satisfies Record<string, EngineRoute>;
