// The messages of a command and a running server: one line of JSON each way.
import type { Socket } from 'node:net';
import { AppError, type ErrorData } from '../base/index.js';

/** A command's request. */
export interface ControlRequest {
  readonly operation: string;
  readonly params: unknown;
  /** The user who runs the command, for the audit log: the command's own statement, trusted because of the socket's mode. */
  readonly by?: string;
}

/** The server's answer. */
export type ControlAnswer = { readonly result: unknown } | { readonly error: ErrorData };

/** Reads the one line that the other side sends. Errors: `control_failed` when it is too long or breaks off. */
export function readLine(socket: Socket, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const fail = (why: string): void => {
      socket.destroy();
      reject(new AppError('control_failed', `a command and the server do not understand each other: ${why}`));
    };
    socket.on('data', (piece: Buffer) => {
      const end = piece.indexOf(10);
      pieces.push(end === -1 ? piece : piece.subarray(0, end));
      size += piece.length;
      if (size > maxBytes) fail(`a line of more than ${maxBytes} bytes`);
      else if (end !== -1) resolve(Buffer.concat(pieces).toString('utf8'));
    });
    socket.once('error', () => fail('the connection broke'));
    socket.once('close', () => fail('the connection ended too early'));
    socket.once('timeout', () => fail('no answer came in time'));
  });
}
