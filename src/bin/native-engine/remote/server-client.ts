import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { AppError, codeOf, hasErrorCode, stringifyInOrder } from '../../../base/index.js';

/** Bytes of an answer: a long list of models has some hundred kilobytes. */
const MAX_ANSWER = 16 * 1024 * 1024;
/** Characters of an error that are shown. */
const MAX_WORDS = 2_000;

/** A running server, as the commands ask it. */
export interface ServerClient {
  readonly url: string;
  /** A JSON answer. Errors: `server_unreachable`, `server_refused`, `model_not_found`; the reason of the signal. */
  get(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
}

/** A client of the server at `url`. No deadline: a load takes as long as it takes, and the signal ends it. */
export function createServerClient(url: URL, signal: AbortSignal): ServerClient {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const { status, text } = await send(url, method, path, body, signal);
    const value = parse(text);
    if (status >= 200 && status < 300 && value !== undefined) return value;
    throw refused(url, status, value);
  };
  return {
    url: url.origin,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
  };
}

async function send(
  url: URL,
  method: string,
  path: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = request(new URL(path, url), { method, headers, signal }, resolve).on('error', reject);
      sent.end(body === undefined ? undefined : stringifyInOrder(body));
    });
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of response as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > MAX_ANSWER) throw new AppError('server_refused', `${url.origin} sent more than ${MAX_ANSWER} bytes`);
      pieces.push(piece);
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') };
  } catch (error) {
    signal.throwIfAborted();
    if (codeOf(error) === 'server_refused') throw error;
    throw unreachable(url, error);
  }
}

function unreachable(url: URL, cause: unknown): AppError {
  const why = hasErrorCode(cause, 'ECONNREFUSED') ? 'nothing listens there' : (codeOf(cause) ?? 'it broke off');
  const message = `no server answers at ${url.origin}: ${why}; start one with native-engine serve --http, or name another with --host or TROUPE_HOST`;
  return new AppError('server_unreachable', message, { url: url.origin }, { cause });
}

function refused(url: URL, status: number, value: unknown): AppError {
  const words = wordsOf(value);
  const known = /^model '.*' not found/.test(words ?? '');
  const message = `${url.origin} answered with ${status}${words === undefined ? ', and not as an engine does' : `: ${words}`}`;
  return new AppError(known ? 'model_not_found' : 'server_refused', message, { url: url.origin, status });
}

/** `{ error: text }` as Ollama's API has it, or `{ error: { message } }`. */
function wordsOf(value: unknown): string | undefined {
  const error: unknown = Object(value)['error'];
  const words: unknown = typeof error === 'string' ? error : Object(error)['message'];
  return typeof words === 'string' ? words.replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_WORDS) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
