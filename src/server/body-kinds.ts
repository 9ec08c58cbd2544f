import {
  parseChatCompletionRequest,
  parseEmbeddingsRequest,
  parseJsonBody,
  parseTextCompletionRequest,
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
