import { OllamaError } from '../api/index.js';
import type { KindOf } from '../base/index.js';
import { createErrorFormat, errorsByPath, type ErrorFormat } from '../endpoint/index.js';
import { dialects } from '../wire/index.js';
import { createMessagesErrors } from './messages-errors.js';

/** Errors in the words of the API that a path belongs to, whether there is a route for it or not: OpenAI's where no other is. */
export function createErrorFormats(kindOf: KindOf): ErrorFormat {
  return errorsByPath(
    {
      '/api': createErrorFormat(kindOf, { schema: OllamaError, toBody: dialects.ollamaChat.toError }),
      '/v1/messages': createMessagesErrors(kindOf),
    },
    createErrorFormat(kindOf),
  );
}
