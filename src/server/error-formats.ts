import { OllamaError } from '../api/index.js';
import type { KindOf } from '../base/index.js';
import { createErrorFormat, type ErrorFormat } from '../endpoint/index.js';
import { dialects } from '../wire/index.js';

/** What is Ollama's, whether there is a route for it or not. */
const OLLAMA_PATH = /^\/+api(?:\/|$)/;

/** Errors in the words of the API that a path belongs to: Ollama's below /api, OpenAI's elsewhere. */
export function createErrorFormats(kindOf: KindOf): ErrorFormat {
  const openai = createErrorFormat(kindOf);
  const ollama = createErrorFormat(kindOf, { schema: OllamaError, toBody: dialects.ollamaChat.toError });
  const formatOf = (path = ''): ErrorFormat => (OLLAMA_PATH.test(path) ? ollama : openai);
  return {
    schema: openai.schema,
    schemaAt: (path) => formatOf(path).schema,
    toErrorResponse: (error, request) => formatOf(request?.path).toErrorResponse(error, request),
  };
}
