// Embeddings in Ollama's API. Source: ollama/ollama, api/types.go.
import { Type } from '../../schema/index.js';
import { MAX_EMBED_INPUTS } from '../limits.js';

const common = {
  model: Type.Optional(Type.String()),
  keep_alive: Type.Optional(Type.Union([Type.Number(), Type.String()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
};
const Vector = Type.Array(Type.Number());

/** `POST /api/embed`. An empty input gives no vectors, and loads the model. */
export const OllamaEmbedRequest = Type.Object({
  ...common,
  input: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String({ minLength: 1 }), { maxItems: MAX_EMBED_INPUTS })]),
  ),
  /** Default true: inputs longer than the context are cut. */
  truncate: Type.Optional(Type.Boolean()),
  /** Only the model's own number. */
  dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type OllamaEmbedRequest = Type.Static<typeof OllamaEmbedRequest>;

/** The vectors, in the order of the inputs, each of length 1. */
export const OllamaEmbeddings = Type.Object({
  model: Type.String(),
  embeddings: Type.Array(Vector),
  total_duration: Type.Integer(),
  load_duration: Type.Integer(),
  prompt_eval_count: Type.Integer(),
});
export type OllamaEmbeddings = Type.Static<typeof OllamaEmbeddings>;

/** `POST /api/embeddings`, the older form: one text. */
export const OllamaEmbeddingRequest = Type.Object({ ...common, prompt: Type.Optional(Type.String()) });
export type OllamaEmbeddingRequest = Type.Static<typeof OllamaEmbeddingRequest>;

/** Its vector, not normalised; empty without a prompt. */
export const OllamaEmbedding = Type.Object({ embedding: Vector });
export type OllamaEmbedding = Type.Static<typeof OllamaEmbedding>;
