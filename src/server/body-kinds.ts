import {
  ChatCompletionRequest,
  EmbeddingsRequest,
  parseChatCompletionRequest,
  parseEmbeddingsRequest,
  parseJsonBody,
  parseTextCompletionRequest,
  TextCompletionRequest,
} from '../api/index.js';

/** What bodies may be: how the fields of each are checked. */
const kinds = {
  chat: parseChatCompletionRequest,
  text: parseTextCompletionRequest,
  embeddings: parseEmbeddingsRequest,
} as const satisfies Record<string, (value: unknown) => object>;

/** A kind of body. */
export type BodyKind = keyof typeof kinds;

/** What a body of a kind says. */
export type BodyOf<K extends BodyKind> = ReturnType<(typeof kinds)[K]>;

/** Reads the JSON of a body and checks its fields. Errors: `json_parse_error`, those of the kind's fields. */
export function readKind<K extends BodyKind>(kind: K, bytes: Uint8Array): BodyOf<K> {
  return kinds[kind](parseJsonBody(bytes)) as BodyOf<K>;
}

const schemas = { chat: ChatCompletionRequest, text: TextCompletionRequest, embeddings: EmbeddingsRequest };

/** The same without the fields that the schema of the kind does not name, which nobody reads: less to hand to another thread. */
export function readKnown<K extends BodyKind>(kind: K, bytes: Uint8Array): BodyOf<K> {
  const known = new Set(Object.keys(schemas[kind].properties));
  const body = readKind(kind, bytes);
  return Object.fromEntries(Object.entries(body).filter(([name]) => known.has(name))) as BodyOf<K>;
}
