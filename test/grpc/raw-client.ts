// HTTP/2 by hand, for what no gRPC library would send.
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Production } from './production.js';
import type { Issued } from './certificates.js';

/** What came of one call. */
export interface RawAnswer {
  /** Head and trailers together. */
  readonly headers: Record<string, string>;
  readonly rstCode: number;
}

/** A session with a certificate. */
export function openSession(production: Production, who: Issued): ClientHttp2Session {
  const session = connect(`https://localhost:${production.server.port}`, {
    ca: production.ca.cert,
    cert: who.cert,
    key: who.key,
  });
  session.on('error', () => {});
  return session;
}

/** A message with the five bytes before it. */
export function frame(message: Uint8Array, flag = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Begins a call. */
export function start(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => {});
  return stream;
}

/** Waits for its end. */
export function answered(stream: ClientHttp2Stream): Promise<RawAnswer> {
  const headers: Record<string, string> = {};
  const take = (from: IncomingHttpHeaders): void => {
    for (const [name, value] of Object.entries(from)) headers[name] = String(value);
  };
  stream.on('response', take);
  stream.on('trailers', take);
  stream.resume();
  return new Promise((resolve) => {
    stream.once('close', () => resolve({ headers, rstCode: stream.rstCode ?? constants.NGHTTP2_NO_ERROR }));
  });
}

/** One call with one message. */
export function callRaw(
  session: ClientHttp2Session,
  path: string,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const stream = start(session, path, headers);
  const end = answered(stream);
  stream.end(body);
  return end;
}
