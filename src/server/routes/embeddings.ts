import { checkDimensions, EmbeddingList, EmbeddingsRequest } from '../../api/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import { withModel } from '../answer-with-model.js';
import { recordTokens } from '../engine-record.js';
import type { EngineRoute } from '../engine-route.js';
import { modelBody, type WithModel } from '../model-body.js';

/** `POST /v1/embeddings`: a vector for each input. SDKs ask for base64 by themselves. */
export const embeddings: EngineRoute<WithModel<EmbeddingsRequest>> = {
  method: 'POST',
  path: '/v1/embeddings',
  summary: 'Makes vectors of texts or token ids.',
  body: modelBody(EmbeddingsRequest),
  response: EmbeddingList,
  operation: 'embeddings',
  async handle(call) {
    const { body } = call;
    const id = body.model;
    const { embeddings: vectors, promptTokens } = await withModel(id, call, (model, { signal, caller }) => {
      checkDimensions(body, model.hiddenSize);
      const input = isTokenIds(body.input) ? [body.input] : body.input;
      return model.embed(input, { signal, caller, cacheSalt: body.cache_salt });
    });
    const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
    recordTokens(call.record, { promptTokens, completionTokens: 0 });
    const write = body.encoding_format === 'base64' ? toBase64 : (vector: Float32Array) => Array.from(vector);
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: write(vector) }));
    return jsonResponse({ object: 'list', data, model: id, usage });
  },
};

function isTokenIds(input: EmbeddingsRequest['input']): input is number[] {
  return typeof input !== 'string' && typeof input[0] === 'number';
}

/** The little-endian bytes of `vector`; all machines that run this are little-endian. */
function toBase64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
