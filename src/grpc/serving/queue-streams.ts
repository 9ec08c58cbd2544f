import { status as grpcStatus } from '@grpc/grpc-js';
import {
  constants,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { assert } from '../../base/index.js';
import type { Connection } from './connection.js';
import type { StreamQueue } from './stream-queue.js';

/** What becomes of the streams of a server. */
export interface StreamEvents {
  readonly connectionOf: (session: Http2Session) => Connection | undefined;
  /** Its turn has come: @grpc/grpc-js makes a call of it next. */
  readonly onBegin: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection) => void;
  /** It was reset before its turn. */
  readonly onReset: (connection: Connection) => void;
}

/** Lets streams through a queue before @grpc/grpc-js makes calls of them. */
export function queueStreams(http2: Http2Server, queue: StreamQueue, events: StreamEvents): void {
  const handlers = http2.listeners('stream');
  assert(handlers.length === 1, '@grpc/grpc-js listens for streams');
  http2.removeAllListeners('stream');
  http2.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest: unknown[]) => {
    const connection = stream.session === undefined ? undefined : events.connectionOf(stream.session);
    // Its session is gone already.
    if (connection === undefined) return;
    const isTaken = queue.push(connection, {
      stream,
      begin() {
        events.onBegin(stream, headers, connection);
        for (const handle of handlers) Reflect.apply(handle, http2, [stream, headers, ...rest]);
      },
      onReset: () => events.onReset(connection),
    });
    if (!isTaken) refuseAtOnce(stream);
  });
}

/** A status in a head that is all, for which no call is made: as little as a refusal can cost. */
function refuseAtOnce(stream: ServerHttp2Stream): void {
  stream.on('error', () => {});
  if (stream.closed || stream.destroyed) return;
  const head = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': grpcStatus.RESOURCE_EXHAUSTED,
    'grpc-message': 'too many calls wait to begin%3B try again later',
  };
  stream.respond(head, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}
