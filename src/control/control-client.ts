import { connect, type Socket } from 'node:net';
import { AppError, codeOf, fromErrorData } from '../base/index.js';
import { readLine, type ControlAnswer, type ControlRequest } from './message.js';

/** Limit of an answer's bytes: a thousand rows, or some ten thousand keys. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** A backup of a large database takes minutes. */
const ANSWER_MS = 600_000;

/** Whether a server listens for its operator at `path`. Errors: `control_failed` when the server cannot be reached. */
export async function isListening(path: string): Promise<boolean> {
  const socket = await tryConnect(path);
  socket?.destroy();
  return socket !== undefined;
}

/** Sends a request to the server at `path`. Errors: `control_failed`, those of the answer. */
export async function askServer(path: string, request: ControlRequest): Promise<unknown> {
  const socket = await tryConnect(path);
  if (socket === undefined) throw new AppError('control_failed', 'the server has ended since; try again', { path });
  socket.setTimeout(ANSWER_MS);
  socket.write(`${JSON.stringify(request)}\n`);
  const answer = JSON.parse(await readLine(socket, MAX_ANSWER_BYTES)) as ControlAnswer;
  socket.destroy();
  if ('error' in answer) throw fromErrorData(answer.error);
  return answer.result;
}

/** Undefined: no server listens there. */
function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => {
      const code = codeOf(error) ?? '';
      if (['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR'].includes(code)) resolve(undefined);
      else
        reject(new AppError('control_failed', `the server that listens at ${path} cannot be asked: ${code}`, { path }));
    });
  });
}
