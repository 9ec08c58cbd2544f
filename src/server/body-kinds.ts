import {
  EmbeddingsRequest,
  parseEmbeddingsRequest,
  parseJsonBody,
  readJsonSources,
  withJsonSources,
} from '../api/index.js';
import { dialects } from '../wire/index.js';

/** What bodies may be: how each is read and its fields are checked. */
const kinds = {
  ...dialects,
  embeddings: {
    schemas: { request: EmbeddingsRequest },
    parse: (bytes: Uint8Array) => parseEmbeddingsRequest(parseJsonBody(bytes)),
  },
} as const;

/** A kind of body. */
export type BodyKind = keyof typeof kinds;

/** What a body of a kind says. */
export type BodyOf<K extends BodyKind> = ReturnType<(typeof kinds)[K]['parse']>;

/** Reads the JSON of a body and checks its fields. Errors: `json_parse_error`, those of the kind's fields. */
export function readKind<K extends BodyKind>(kind: K, bytes: Uint8Array): BodyOf<K> {
  return kinds[kind].parse(bytes) as BodyOf<K>;
}

/** The same without the fields that the schema of the kind does not name, which nobody reads: less to hand to another thread. */
export function readKnown<K extends BodyKind>(kind: K, bytes: Uint8Array): BodyOf<K> {
  const known = new Set(Object.keys((kinds[kind].schemas.request as { properties?: object }).properties ?? {}));
  const body = readKind(kind, bytes);
  const fields = Object.fromEntries(Object.entries(body).filter(([name]) => known.has(name))) as BodyOf<K>;
  return withJsonSources(fields, readJsonSources(body));
}
