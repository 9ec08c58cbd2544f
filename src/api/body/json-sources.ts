/**
 * Fields of a request as JSON text, which templates print. Parsing loses how numbers were written, and the position of
 * keys like "10".
 */
export interface JsonSources {
  readonly tools?: string;
  readonly chat_template_kwargs?: string;
}

/** Key of a request's sources: no JSON has a symbol for a key, so no client can forge a source. */
const SOURCES = Symbol('sources');

/** The request with the sources of its fields, if there are any. A structured clone loses them. */
export function withJsonSources<T extends object>(request: T, sources: JsonSources): T {
  return Object.keys(sources).length === 0 ? request : Object.assign(request, { [SOURCES]: sources });
}

/** The sources of a request's fields; none for a request that was not read from JSON. */
export function readJsonSources(request: object): JsonSources {
  return (Reflect.get(request, SOURCES) as JsonSources | undefined) ?? {};
}
