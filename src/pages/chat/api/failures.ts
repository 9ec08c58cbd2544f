import type { Failure } from '../conversation/conversation.js';
import { fieldsOf, textOf } from '../../data/index.js';

/** Advice on errors that the user can fix, by code. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['model_not_found', 'Choose another model above, then try again.'],
  ['model_loading', 'The model is being loaded. Try again in a few seconds.'],
  ['models_busy', 'Other models are in use. Try again in a few seconds.'],
  ['overloaded', 'Too many answers are under way. Try again in a few seconds.'],
  ['context_length_exceeded', 'Start a new conversation, or edit an earlier message to a shorter one.'],
  ['unsupported_by_template', 'Change the settings of this conversation: the model has no use for one of them.'],
  ['template_missing', 'This model continues texts and cannot chat. Choose another model above.'],
  ['engine_restarted', 'The engine starts again. Try again in a few seconds.'],
  ['engine_hung', 'The engine starts again. Try again in a few seconds.'],
  ['shutting_down', 'The server is stopping. Try again when it is back.'],
  ['out_of_memory', 'Close other programs or choose a smaller model.'],
  ['origin_refused', 'Start the server with --allow-origin and the address of this page.'],
]);

/** Advice by status, for codes without advice. */
function adviceOf(status: number): string {
  if (status === 503 || status === 429) return 'Try again in a few seconds.';
  if (status >= 400 && status < 500) return 'Change the message or the settings, then try again.';
  return 'Try again. The log of the server says more.';
}

/** Converts an error answer of the server to a failure. */
export function toFailure(status: number, body: unknown): Failure {
  const { message, code } = fieldsOf(fieldsOf(body)['error']);
  const name = textOf(code) ?? `status_${status}`;
  return {
    code: name,
    message: textOf(message) ?? `The server answered with status ${status}.`,
    advice: ADVICE.get(name) ?? adviceOf(status),
  };
}

/** The server cannot be reached. */
export const UNREACHABLE: Failure = {
  code: 'unreachable',
  message: 'The server does not answer.',
  advice: 'Start it with “native-engine serve --http”, then try again.',
};

/** The connection ended in the middle of an answer. */
export const BROKEN_OFF: Failure = {
  code: 'broken_off',
  message: 'The connection ended before the answer did.',
  advice: 'What came is kept. Try again when the server is back.',
};

/** The received data is not an answer of this API. */
export function unreadable(why: string): Failure {
  return { code: 'unreadable', message: `The answer cannot be read: ${why}.`, advice: 'Try again.' };
}
