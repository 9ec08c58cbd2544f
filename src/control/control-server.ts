import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { AppError, isAppError, throwFileError, toErrorData } from '../base/index.js';
import { readLine, type ControlAnswer, type ControlRequest } from './message.js';

/** Limit of a request's bytes: limits and lists of models of one key. */
const MAX_REQUEST_BYTES = 256 * 1024;
/** Limit of concurrent commands. */
const MAX_CONNECTIONS = 16;
/** A command sends its request at once. */
const SILENCE_MS = 10_000;

/** Listens for commands of the operator on a socket that only its owner may open. */
export interface ControlServer extends AsyncDisposable {
  readonly path: string;
}

/** The handlers of a control server. */
export interface ControlOptions {
  readonly run: (operation: string, params: unknown, by: string | undefined) => Promise<unknown>;
  /** Called for bugs of ours, whose details a command does not get. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Answers each operation with the result of `run`. The caller owns the data directory, so an existing socket there
 * belongs to a dead server. Errors: those of files.
 */
export async function createControlServer(path: string, { run, onFailure }: ControlOptions): Promise<ControlServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setTimeout(SILENCE_MS);
    void answer(socket, { run, onFailure });
  });
  server.maxConnections = MAX_CONNECTIONS;
  const isFile = process.platform !== 'win32';
  if (isFile) await rm(path, { force: true }).catch(throwFileError('write', path));
  // Creates it with its final mode: between creation and a chmod others could connect.
  const mask = isFile ? process.umask(0o177) : 0;
  try {
    await listenOn(server, path);
  } finally {
    if (isFile) process.umask(mask);
  }
  if (isFile) await chmod(path, 0o600).catch(throwFileError('write', path));
  return {
    path,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function listenOn(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new AppError('control_failed', `no socket can be made at ${path}: ${toErrorData(error).code}`, { path }));
    });
    server.listen(path, resolve);
  });
}

async function answer(socket: Socket, { run, onFailure }: ControlOptions): Promise<void> {
  let said: ControlAnswer;
  try {
    const { operation, params, by } = toRequest(await readLine(socket, MAX_REQUEST_BYTES));
    // The answer may take longer than the question.
    socket.setTimeout(0);
    said = { result: await run(operation, params, by) };
  } catch (error) {
    const data = toErrorData(error);
    if (!isAppError(error)) onFailure(error);
    said = { error: isAppError(error) ? data : { ...data, message: 'the server failed; its log says why' } };
  }
  if (!socket.destroyed) socket.end(`${JSON.stringify(said)}\n`);
}

function toRequest(line: string): ControlRequest {
  try {
    const { operation, params = {}, by } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const isUser = typeof by === 'string' && /^[\w.\-+\\$]{1,64}$/.test(by);
    if (typeof operation === 'string') return { operation, params, ...(isUser && { by }) };
  } catch {
    // Handled below.
  }
  throw new AppError('control_failed', 'a command sent an invalid request; it may be of another version');
}
