import { createRequestParser } from '../api/index.js';
import type { Static, TSchema } from '../schema/index.js';

/** Fields of a body as JSON text, by name. A parsed value no longer has the notation of its numbers. */
export type FieldSources = Readonly<Record<string, string>>;

/** A JSON body: its schema, which OpenAPI shows, and the parser that enforces it. */
export interface JsonBody<T> {
  readonly take: 'json';
  readonly schema: TSchema;
  /** Top-level fields whose JSON text `parse` also receives. */
  readonly sources: readonly string[];
  /** The most bytes. Absent: the listener's limit. */
  readonly maxBytes?: number;
  /** True: a missing body counts as an empty object. */
  readonly mayLack?: boolean;
  /** Parses a value. It must refuse every value that the schema refuses. Errors: the parser's own. */
  readonly parse: (value: unknown, sources: FieldSources) => T;
}

/** A body that the route receives as undecoded pieces. */
export interface RawBody<T> {
  readonly take: 'stream';
  readonly wrap: (body: AsyncIterableIterator<Uint8Array, undefined>) => T;
}

/** A body that the route receives as whole bytes, with its content-encoding decoded. */
export interface BytesBody<T> {
  readonly take: 'bytes';
  readonly maxBytes?: number;
  readonly wrap: (body: Uint8Array) => T;
}

/** The body of a route. */
export type BodyType<T> = JsonBody<T> | RawBody<T> | BytesBody<T>;

/** The body type of a route that interprets the whole bytes by itself. */
export const bytesBody: BytesBody<Uint8Array> = { take: 'bytes', wrap: (body) => body };

/** The body type of a route that relays pieces on arrival, with back-pressure. */
export const rawBody: RawBody<AsyncIterableIterator<Uint8Array, undefined>> = {
  take: 'stream',
  wrap: (body) => body,
};

/** Options of a JSON body besides its schema. */
export type JsonBodyOptions<T> = Partial<Pick<JsonBody<T>, 'sources' | 'maxBytes' | 'mayLack'>>;

/**
 * A JSON body whose parser is derived from `schema`. It keeps unknown fields; a top-level null counts as absent. Errors
 * of its parser: `missing_required_parameter`, `invalid_type`, `invalid_value`.
 */
export function jsonBody<S extends TSchema>(schema: S, options: JsonBodyOptions<Static<S>> = {}): JsonBody<Static<S>> {
  return parsedBody(schema, createRequestParser(schema), options);
}

/** A body whose parser checks more than a schema can express. It must refuse every value that `schema` refuses. */
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
