import { parseJsonBody, withJsonSources, type ChatCompletionRequest } from '../../api/index.js';
import { memberSources } from '../../base/index.js';
import { parseChatCompletionRequest } from './parse-chat-request.js';

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
