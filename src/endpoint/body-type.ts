import { createRequestParser } from '../api/index.js';
import type { Static, TSchema } from '../schema/index.js';

/** Fields of a body as JSON text, by name: a parsed value has lost how its numbers were written. */
export type FieldSources = Readonly<Record<string, string>>;

/** A body of JSON: its schema, which OpenAPI shows, and the parser that holds it to that. */
export interface JsonBody<T> {
  readonly take: 'json';
  readonly schema: TSchema;
  /** Top-level fields whose text `parse` wants too. */
  readonly sources: readonly string[];
  /** Bytes at most; absent: the listener's limit. */
  readonly maxBytes?: number;
  /** No body at all is an empty object. */
  readonly mayLack?: boolean;
  /** Refuses values that the schema refuses. Errors: the parser's own. */
  readonly parse: (value: unknown, sources: FieldSources) => T;
}

/** A body that is handed on as it comes, undecoded. */
export interface RawBody<T> {
  readonly take: 'stream';
  readonly wrap: (body: AsyncIterableIterator<Uint8Array, undefined>) => T;
}

/** A body that is read whole, its content-encoding undone, and not read as anything. */
export interface BytesBody<T> {
  readonly take: 'bytes';
  readonly maxBytes?: number;
  readonly wrap: (body: Uint8Array) => T;
}

/** The body of a route. */
export type BodyType<T> = JsonBody<T> | RawBody<T> | BytesBody<T>;

/** The whole body of a route that looks into it by itself. */
export const bytesBody: BytesBody<Uint8Array> = { take: 'bytes', wrap: (body) => body };

/** The body of a route that relays: pieces as they come, with back-pressure. */
export const rawBody: RawBody<AsyncIterableIterator<Uint8Array, undefined>> = {
  take: 'stream',
  wrap: (body) => body,
};

/** What may be said of a body of JSON besides its schema. */
export type JsonBodyOptions<T> = Partial<Pick<JsonBody<T>, 'sources' | 'maxBytes' | 'mayLack'>>;

/**
 * A body that is what `schema` says: the parser follows from it. Unknown fields are kept, a top-level null counts as
 * absent. Errors of its parser: `missing_required_parameter`, `invalid_type`, `invalid_value`.
 */
export function jsonBody<S extends TSchema>(schema: S, options: JsonBodyOptions<Static<S>> = {}): JsonBody<Static<S>> {
  return parsedBody(schema, createRequestParser(schema), options);
}

/** A body with a parser that checks more than a schema can say; it must refuse what `schema` refuses. */
export function parsedBody<T>(
  schema: TSchema,
  parse: JsonBody<T>['parse'],
  { sources = [], maxBytes, mayLack }: JsonBodyOptions<T> = {},
): JsonBody<T> {
  return {
    take: 'json',
    schema,
    sources,
    ...(maxBytes !== undefined && { maxBytes }),
    ...(mayLack !== undefined && { mayLack }),
    parse,
  };
}
