import { status as grpcStatus } from '@grpc/grpc-js';
import type { Http2Server, Http2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { assert, type Clock } from '../../base/index.js';
import { closeWhenSent } from './close-when-sent.js';
import type { Connection } from './connection.js';
import type { StreamQueue } from './stream-queue.js';

/** Events of the streams of a server. */
export interface CallStreamEvents {
  readonly connectionOf: (session: Http2Session) => Connection | undefined;
  /** The name of the queue in which a stream waits, by its path. */
  readonly queueNameOf: (path: string | undefined, connection: Connection) => string;
  /** Called at a stream's turn, before @grpc/grpc-js creates its call. */
  readonly onBegin: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection) => void;
  /** Called for a stream that is refused because too many wait. */
  readonly onRefused: (path: string | undefined, connection: Connection) => void;
  /** Called for a stream that ended before its answer; `ageMs`: the time since its head. */
  readonly onAborted: (connection: Connection, ageMs: number) => void;
}

/** Sends streams through a queue before @grpc/grpc-js creates their calls. */
export function queueStreams(http2: Http2Server, queue: StreamQueue, events: CallStreamEvents, clock: Clock): void {
  const handlers = http2.listeners('stream');
  assert(handlers.length === 1, '@grpc/grpc-js listens for streams');
  http2.removeAllListeners('stream');
  http2.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, ...rest: unknown[]) => {
    const connection = stream.session === undefined ? undefined : events.connectionOf(stream.session);
    // The session has already ended.
    if (connection === undefined) return;
    const beganMs = clock.nowMs();
    const onAborted = (): void => events.onAborted(connection, clock.nowMs() - beganMs);
    // A peer's reset with a failure code emits 'error', which must have a listener.
    stream.on('error', () => {});
    if (stream.aborted || stream.destroyed) {
      onAborted();
      return;
    }
    stream.once('aborted', onAborted);
    const isTaken = queue.push(events.queueNameOf(headers[':path'], connection), {
      stream,
      begin() {
        events.onBegin(stream, headers, connection);
        for (const handle of handlers) Reflect.apply(handle, http2, [stream, headers, ...rest]);
      },
    });
    if (isTaken) return;
    events.onRefused(headers[':path'], connection);
    refuseAtOnce(stream);
  });
}

/** Refuses with a trailers-only head and creates no call, which is the cheapest refusal. */
function refuseAtOnce(stream: ServerHttp2Stream): void {
  if (stream.closed || stream.destroyed) return;
  const head = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': grpcStatus.RESOURCE_EXHAUSTED,
    'grpc-message': 'too many calls wait to begin%3B try again later',
  };
  stream.respond(head, { endStream: true });
  closeWhenSent(stream);
}
