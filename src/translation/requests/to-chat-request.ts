import { wrongType, isFields, withoutNulls } from './fields.js';
import { messagesToChat } from './messages-to-chat.js';
import { responsesToChat } from './responses-to-chat.js';
import type { TranslatedRequest } from './translated-request.js';

const translators = { messages: messagesToChat, responses: responsesToChat } as const;

/** An API whose requests can be made chat completions. */
export type TranslatedApi = keyof typeof translators;

/**
 * A body as a request of chat completions. `sources`: the text of its members named in `SOURCES`, where they are there. What
 * has no counterpart is left out and named. Errors: `missing_required_parameter`, `invalid_type`, `invalid_value`,
 * `unsupported_parameter`, `unsupported_value`.
 */
export function toChatRequest(
  api: TranslatedApi,
  body: unknown,
  sources: Readonly<Record<string, string>>,
): TranslatedRequest {
  if (!isFields(body)) throw wrongType('the body', 'an object', body);
  return translators[api](withoutNulls(body), sources);
}
