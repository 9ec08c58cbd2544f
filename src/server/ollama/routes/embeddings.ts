import { OllamaEmbedding, OllamaEmbeddingRequest } from '../../../api/index.js';
import { jsonResponse } from '../../../endpoint/index.js';
import { readKeepAlive } from '../../../wire/index.js';
import { withModel } from '../../answer-with-model.js';
import { recordTokens } from '../../engine-record.js';
import type { EngineRoute } from '../../engine-route.js';
import type { WithModel } from '../../model-body.js';
import { ollamaBody } from '../ollama-body.js';

/** `POST /api/embeddings`: the older form, one vector, not brought to length 1. */
export const embeddings: EngineRoute<WithModel<OllamaEmbeddingRequest>> = {
  method: 'POST',
  path: '/api/embeddings',
  summary: 'Makes a vector of one text, as Ollama did before /api/embed.',
  body: ollamaBody(OllamaEmbeddingRequest),
  response: OllamaEmbedding,
  operation: 'embeddings',
  async handle(call) {
    const { model: name, prompt = '', keep_alive: keepAlive } = call.body;
    const made = await withModel(
      name,
      call,
      async (model, options) =>
        prompt === '' ? undefined : model.embed(prompt, { ...options, truncate: true, normalize: false }),
      readKeepAlive(keepAlive),
    );
    recordTokens(call.record, { promptTokens: made?.promptTokens ?? 0, completionTokens: 0 });
    return jsonResponse({ embedding: Array.from(made?.embeddings[0] ?? []) });
  },
};
