import { once } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';
import { hasErrorCode, toFileError } from '../base/index.js';

/** Standard streams and environment of one run of a command. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream | ReadStream;
  readonly stdout: NodeJS.WriteStream | WriteStream;
  readonly stderr: NodeJS.WriteStream | WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts with the error of a write: `EPIPE` when the reader of our output has gone. */
  readonly closed: AbortSignal;
}

/** The streams of this process. When the reader of the output goes away, the work ends quietly, without an error. */
export function openTerminal(): Terminal {
  const closed = new AbortController();
  for (const [stream, name] of [
    [process.stdout, 'standard output'],
    [process.stderr, 'standard error'],
  ] as const) {
    stream.on('error', (error) => {
      closed.abort(hasErrorCode(error, 'EPIPE') ? error : toFileError(error, 'write', name));
    });
  }
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    closed: closed.signal,
  };
}

/** Writes and waits while a slow reader's buffer is full. */
export async function print(stream: NodeJS.WriteStream, text: string, closed: AbortSignal): Promise<void> {
  closed.throwIfAborted();
  if (text === '' || stream.write(text)) return;
  await once(stream, 'drain', { signal: closed }).catch((error: unknown) => {
    closed.throwIfAborted();
    throw error;
  });
}

/**
 * Whether a stream is a screen that understands escape sequences: a terminal that is not "dumb". Each stream is checked
 * by itself, since one may be a terminal and another a file.
 */
export function understandsEscapes(terminal: Pick<Terminal, 'env'>, stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && terminal.env['TERM'] !== 'dumb';
}

/** The stream of a dialogue with the user: standard output, or standard error when the output goes elsewhere. */
export function dialogueStream({ stdout, stderr }: Terminal): NodeJS.WriteStream | WriteStream {
  return stdout.isTTY ? stdout : stderr;
}

/** `text` in faint letters where the stream supports them and colours are wanted (https://no-color.org). */
export function dim(terminal: Pick<Terminal, 'env'>, stream: { readonly isTTY?: boolean }, text: string): string {
  const isShown = understandsEscapes(terminal, stream) && !terminal.env['NO_COLOR'] && text !== '';
  return isShown ? `\x1b[2m${text}\x1b[22m` : text;
}

/**
 * Text of a model in a form that is safe for a terminal. Control characters are dropped: an escape sequence in an
 * answer could move the cursor, change the window or answer for the user. Files get the bytes unchanged.
 */
export function toPrintable(stream: { readonly isTTY?: boolean }, text: string): string {
  return stream.isTTY ? text.replace(/(?![\n\t])\p{Cc}/gu, '') : text;
}
