import { toErrorBody, type OllamaError } from '../../api/index.js';
import type { ErrorData, KindOf } from '../../base/index.js';

/** Ollama's names of features that a template may lack. */
const FEATURES: ReadonlyMap<unknown, string> = new Map([
  ['tools', 'tools'],
  ['thinkingOn', 'thinking'],
]);

/** Temporary errors: clients recognise the words, and try again. */
const BUSY: ReadonlySet<string> = new Set(['overloaded', 'models_busy']);

/** An error for a client of Ollama: Ollama's words where clients look for them, else ours. */
export function toOllamaError(error: ErrorData, kindOf: KindOf): OllamaError {
  return { error: wordsOf(error) ?? toErrorBody(error, kindOf).error.message };
}

/** Source: ollama/ollama, server/routes.go and server/sched.go. */
function wordsOf({ code, message, details }: ErrorData): string | undefined {
  const { model, lacks, isEmpty } = details;
  if (code === 'json_parse_error' && isEmpty === true) return 'missing request body; send a JSON object';
  if (BUSY.has(code)) return `server busy: ${message}`;
  if (typeof model !== 'string') return undefined;
  if (code === 'model_not_found') return `model '${model}' not found; GET /api/tags lists the models`;
  const feature = code === 'unsupported_by_template' ? FEATURES.get(lacks) : undefined;
  return feature === undefined ? undefined : `"${model}" does not support ${feature}`;
}
