/**
 * Fields of a request as JSON text, which templates print: a parsed value has lost how its numbers were written, and the place
 * of keys like "10".
 */
export interface JsonSources {
  readonly tools?: string;
  readonly chat_template_kwargs?: string;
}

/** Where a request keeps them: no JSON has a symbol for a key, so no client can claim to be the source of something else. */
const SOURCES = Symbol('sources');

/** The request with the sources of its fields, if there are any. A structured clone has lost them. */
export function withJsonSources<T extends object>(request: T, sources: JsonSources): T {
  return Object.keys(sources).length === 0 ? request : Object.assign(request, { [SOURCES]: sources });
}

/** What is known of the text of a request's fields: nothing, where it was not read from JSON. */
export function readJsonSources(request: object): JsonSources {
  return (Reflect.get(request, SOURCES) as JsonSources | undefined) ?? {};
}
