import { fstatSync } from 'node:fs';
import { AppError, holdingClock } from '../../../base/index.js';
import { decodeInput, type Terminal } from '../../../cli/index.js';

/** Longest prompt from a pipe: about two million tokens, more than any context; a larger one is a mistake. */
const MAX_PROMPT_BYTES = 8 * 1024 * 1024;
/** The argument that says: the prompt is standard input, even when that is a terminal. */
const STANDARD_INPUT = '-';
/** After this time without a byte the command prints what it waits for. */
const SAY_WAITING_MS = 2000;
/**
 * A socket beside a prompt argument that is silent for so long is not waited for: programs that start others give them
 * one (Node's child_process, sshd) and often neither write to it nor close it. A shell's pipe is no socket.
 */
const SILENT_SOCKET_MS = 1000;

const WAITING = '(waiting for the end of standard input; < /dev/null gives none)\n';
const TOO_LATE = '(text came from standard input after the answer was begun: it is not part of the prompt)\n';

/**
 * The prompt of an argument and of standard input, or undefined when the user will type. With both, the argument is the
 * instruction, and the piped text follows after an empty line. Throws `prompt_missing`, `input_too_large`, `input_not_text`.
 */
export async function readPrompt(terminal: Terminal, argument: string | undefined): Promise<string | undefined> {
  const isWanted = argument === STANDARD_INPUT;
  if (terminal.stdin.isTTY && !isWanted) return argument === undefined ? undefined : notEmpty(argument);
  if (argument === undefined || isWanted) return notEmpty(await readInput(terminal, false));
  const piped = await readInput(terminal, true);
  return notEmpty(piped === '' ? argument : `${argument}\n\n${piped}`);
}

function notEmpty(prompt: string): string {
  if (prompt.trim() !== '') return prompt;
  throw new AppError(
    'prompt_missing',
    'No prompt was given, and standard input is empty. Give the prompt as an argument, or run in a terminal for a REPL.',
  );
}

/** The text of standard input as it is. Throws `input_too_large`, `input_not_text`. */
export async function readStandardInput(terminal: Terminal): Promise<string> {
  return decodeInput((await readBytes(terminal, false)) ?? Buffer.alloc(0));
}

/** The text of standard input, without the line breaks at its end. */
async function readInput(terminal: Terminal, isBesideArgument: boolean): Promise<string> {
  const { stdin, stderr } = terminal;
  const bytes = await readBytes(terminal, isBesideArgument);
  if (bytes !== undefined) return decodeInput(bytes).trimEnd();
  stdin.once('data', () => {
    stdin.pause();
    stderr.write(TOO_LATE);
  });
  stdin.resume();
  return '';
}

/** Undefined: it is a socket beside an argument, and silent. */
async function readBytes({ stdin, stderr }: Terminal, isBesideArgument: boolean): Promise<Buffer | undefined> {
  let cancel = (): void => {};
  return new Promise<Buffer | undefined>((resolve, reject) => {
    if (isBesideArgument && isSocket()) cancel = holdingClock.after(SILENT_SOCKET_MS, () => resolve(undefined));
    else if (!stdin.isTTY) cancel = holdingClock.after(SAY_WAITING_MS, () => stderr.write(WAITING));
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    stdin.on('data', (piece: Buffer) => {
      cancel();
      pieces.push(piece);
      sizeBytes += piece.length;
      if (sizeBytes > MAX_PROMPT_BYTES) reject(tooLarge());
    });
    stdin.on('end', () => resolve(Buffer.concat(pieces)));
    stdin.on('error', reject);
  }).finally(() => {
    cancel();
    stdin.removeAllListeners('data');
    stdin.pause();
  });
}

function tooLarge(): AppError {
  const message = `Standard input is longer than ${MAX_PROMPT_BYTES} bytes, the limit of a prompt. Ask about a part of it.`;
  return new AppError('input_too_large', message, { limitBytes: MAX_PROMPT_BYTES });
}

function isSocket(): boolean {
  try {
    return fstatSync(0).isSocket();
  } catch {
    return false;
  }
}
