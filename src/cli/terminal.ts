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

/** The streams of this process. A reader that goes away ends the work quietly instead of as an error. */
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

/** Writes and waits until a slow reader has room again. */
export async function print(stream: NodeJS.WriteStream, text: string, closed: AbortSignal): Promise<void> {
  closed.throwIfAborted();
  if (text === '' || stream.write(text)) return;
  await once(stream, 'drain', { signal: closed }).catch((error: unknown) => {
    closed.throwIfAborted();
    throw error;
  });
}

/**
 * Whether a stream is a screen that understands escape sequences: a terminal, and not one that says it is dumb. Each
 * stream is judged for itself, since one may be a terminal and another a file.
 */
export function understandsEscapes(terminal: Pick<Terminal, 'env'>, stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && terminal.env['TERM'] !== 'dumb';
}

/** Where a dialogue with the user goes: standard output, or standard error when the output goes elsewhere. */
export function dialogueStream({ stdout, stderr }: Terminal): NodeJS.WriteStream | WriteStream {
  return stdout.isTTY ? stdout : stderr;
}

/** `text` in faint letters where the stream shows them and colours are wanted (https://no-color.org). */
export function dim(terminal: Pick<Terminal, 'env'>, stream: { readonly isTTY?: boolean }, text: string): string {
  const isShown = understandsEscapes(terminal, stream) && !terminal.env['NO_COLOR'] && text !== '';
  return isShown ? `\x1b[2m${text}\x1b[22m` : text;
}

/**
 * Text of a model as a terminal may show it: control characters are dropped, because an escape sequence
 * in an answer could move the cursor, change the window or answer for the user. Files get the bytes as they are.
 */
export function toPrintable(stream: { readonly isTTY?: boolean }, text: string): string {
  return stream.isTTY ? text.replace(/(?![\n\t])\p{Cc}/gu, '') : text;
}
