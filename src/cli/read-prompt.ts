import { AppError } from '../base/index.js';
import type { Terminal } from './terminal.js';

/** Longest prompt from a pipe: about two million tokens, more than any context; a larger one is a mistake. */
const MAX_PROMPT_BYTES = 8 * 1024 * 1024;

/**
 * The prompt from standard input, or undefined when that is a terminal and the user will type.
 * Throws `prompt_missing`, `input_too_large`.
 */
export async function readPrompt(terminal: Terminal): Promise<string | undefined> {
  if (terminal.stdin.isTTY) return undefined;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of terminal.stdin) {
    pieces.push(Buffer.from(piece));
    size += pieces.at(-1)?.length ?? 0;
    if (size > MAX_PROMPT_BYTES) {
      const message = `Standard input is longer than ${MAX_PROMPT_BYTES} bytes, the limit of a prompt. Ask about a part of it.`;
      throw new AppError('input_too_large', message, { limitBytes: MAX_PROMPT_BYTES });
    }
  }
  const prompt = Buffer.concat(pieces)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimEnd();
  if (prompt !== '') return prompt;
  throw new AppError(
    'prompt_missing',
    'No prompt was given, and standard input is empty. Give the prompt as an argument, or run in a terminal for a REPL.',
  );
}
