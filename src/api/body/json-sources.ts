import { memberSources } from '../../base/index.js';
import type { ChatCompletionRequest } from '../chat/chat-request.js';
import { parseJsonBody } from './parse-body.js';
import { parseChatCompletionRequest } from '../chat/parse-chat-request.js';

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

/** A chat request from the bytes of a body, with its sources. Errors: those of `parseJsonBody` and of its fields. */
export function parseChatBody(body: Uint8Array): ChatCompletionRequest {
  const request = parseChatCompletionRequest(parseJsonBody(body));
  const names = (['tools', 'chat_template_kwargs'] as const).filter((name) => request[name] !== undefined);
  // Most requests have none, and cost nothing.
  if (names.length === 0) return request;
  const sources = memberSources(new TextDecoder().decode(body));
  return withJsonSources(
    request,
    Object.fromEntries(names.map((name) => [name, copyText(sources.get(name) ?? 'null')])),
  );
}

/** V8 keeps the whole text of which a string is a part. */
function copyText(text: string): string {
  return Buffer.from(text).toString();
}
