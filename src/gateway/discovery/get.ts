import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createAnswer, type ProbeAnswer, type ProbePath } from '../evidence.js';
import { MAX_ANSWER_HEADER_BYTES } from './limits.js';
import type { ContactAddress } from './target.js';

/** Why a GET has no answer. `unreadable`: an answer that no runtime sends; the others: no answer at all. */
export interface GetFailure {
  readonly failed: 'timeout' | 'broken' | 'unreadable';
  /** The fault, as in `GET /props is compressed`. */
  readonly why: string;
}

/** Headers besides Host: no credentials, and no request for another form of the body. */
const HEADERS = {
  accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
  'accept-encoding': 'identity',
  'user-agent': 'troupe-gateway-discovery',
  connection: 'close',
};

/**
 * `GET path` over `socket`, which it ends. Redirects are not followed. It reads up to `maxBytes` of body, undecoded.
 * Never rejects.
 */
export function get(
  target: ContactAddress,
  path: ProbePath,
  socket: Socket,
  options: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<ProbeAnswer | GetFailure> {
  const { signal, maxBytes } = options;
  return new Promise((resolve) => {
    const settle = (outcome: ProbeAnswer | GetFailure): void => {
      signal.removeEventListener('abort', fail);
      resolve(outcome);
      socket.destroy();
    };
    const fail = (): void => {
      settle(signal.aborted ? timedOut(path) : { failed: 'broken', why: `GET ${path} was not answered in whole HTTP` });
    };
    // Node's request waits forever for a socket that closed before it got it.
    if (signal.aborted || socket.destroyed) return fail();
    let hasBegun = false;
    socket.once('close', () => {
      if (!hasBegun) fail();
    });
    signal.addEventListener('abort', fail, { once: true });
    const request = httpRequest({
      method: 'GET',
      path,
      createConnection: () => socket,
      setHost: false,
      headers: { host: target.authority, ...HEADERS },
      maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
    });
    request.on('error', fail);
    request.on('close', fail);
    request.on('upgrade', fail);
    request.on('response', (response) => {
      hasBegun = true;
      readAnswer(response, path, maxBytes, settle, fail);
    });
    request.end();
  });
}

/** The result of a GET for which the time of its endpoint did not suffice. */
export function timedOut(path: ProbePath): GetFailure {
  return { failed: 'timeout', why: `GET ${path} was not answered in time` };
}

function readAnswer(
  response: IncomingMessage,
  path: ProbePath,
  maxBytes: number,
  settle: (outcome: ProbeAnswer | GetFailure) => void,
  fail: () => void,
): void {
  const refuse = (why: string): void => settle({ failed: 'unreadable', why: `GET ${path} ${why}` });
  const { headers, statusCode = 0 } = response;
  const pieces: Buffer[] = [];
  let numBytes = 0;
  response.on('error', fail);
  response.on('data', (piece: Buffer) => {
    numBytes += piece.length;
    if (numBytes > maxBytes) refuse(`is longer than ${maxBytes} bytes`);
    else pieces.push(piece);
  });
  response.on('end', () => {
    if (!response.complete) return fail();
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') return refuse('is compressed, which was not asked for');
    const answer = createAnswer(statusCode, headers, Buffer.concat(pieces));
    return answer === undefined ? refuse('is not UTF-8') : settle(answer);
  });
}
