import { isRecord, type JsonRecord } from '../usage/json-record.js';

/**
 * Whether an answer, or the data of an event, reports a failure despite a successful status. Sources: OpenAI's and Anthropic's
 * errors, `response.failed` of OpenAI's responses, Ollama's text, vLLM's `object: error`.
 */
export function isErrorAnswer(data: JsonRecord): boolean {
  const { response } = data;
  const inner = isRecord(response) && isError(response['error']);
  return isError(data['error']) || inner || data['type'] === 'error' || data['object'] === 'error';
}

function isError(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || (isRecord(value) && Object.keys(value).length > 0);
}
