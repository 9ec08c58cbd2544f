// Calls to one server: deadlines, aborts and errors, the same for every method.
import {
  Client,
  credentials,
  Metadata,
  type CallOptions,
  type ChannelCredentials,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { createSecureContext } from 'node:tls';
import { abortableStream, AppError, invalidValue, isError, unixMs, type Checked } from '../base/index.js';
import { REQUEST_ID_KEY, type Method } from '../grpc/index.js';
import {
  checkCallOptions,
  checkClientOptions,
  type ClientCallOptions,
  type ClientOptions,
  type ClientTls,
} from './client-options.js';
import { toAppError } from './to-app-error.js';

/** As long as SDKs of the HTTP API wait. */
const DEADLINE_MS = 600_000;
const MAX_MESSAGE_BYTES = 64 << 20;
/** Bounds of the reconnect pause: shorter than usual deadlines, long enough for a server that restarts. */
const RECONNECT_MS = { least: 100, most: 5_000 };
/** Detects a connection whose other side is gone; no more often than servers allow. */
const KEEP_ALIVE_MS = { time: 60_000, timeout: 20_000 };

/** Makes calls to one server. */
export interface RpcCaller {
  unary<RI, R, SI, S>(method: Method<RI, R, SI, S>, request: RI, options: ClientCallOptions | undefined): Promise<S>;
  stream<RI, R, SI, S>(
    method: Method<RI, R, SI, S>,
    request: RI,
    options: ClientCallOptions | undefined,
  ): AsyncIterable<S>;
  close(): void;
}

/** Connects at the first call. Errors: `invalid_option`, `invalid_value` for a text that is not PEM. */
export function createCaller(options: ClientOptions): RpcCaller {
  const checked = checkClientOptions(options);
  const { address = '', tls, deadlineMs: usualMs = DEADLINE_MS, maxMessageBytes = MAX_MESSAGE_BYTES } = checked;
  const client = new Client(address, toCredentials(tls), {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.least,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS.most,
    'grpc.keepalive_time_ms': KEEP_ALIVE_MS.time,
    'grpc.keepalive_timeout_ms': KEEP_ALIVE_MS.timeout,
    // Other clients of this process may have other identities at the same server.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    ...(tls?.serverName !== undefined && { 'grpc.ssl_target_name_override': tls.serverName }),
  });
  let isClosed = false;

  const begin = (method: { readonly path: string }, given: ClientCallOptions | undefined) => {
    const call = checkCallOptions(method.path, given);
    if (isClosed) throw new AppError('engine_closed', 'the client was closed; create another');
    call.signal?.throwIfAborted();
    const metadata = new Metadata();
    if (call.requestId !== undefined) metadata.set(REQUEST_ID_KEY, call.requestId);
    const limitMs = call.deadlineMs ?? usualMs;
    const grpc: CallOptions = Number.isFinite(limitMs) ? { deadline: unixMs() + limitMs } : {};
    return { call, metadata, grpc };
  };

  return {
    async unary(method, request, given) {
      const { call, metadata, grpc } = begin(method, given);
      return new Promise((resolve, reject) => {
        const { requestSerialize, responseDeserialize } = method;
        const running = client.makeUnaryRequest(
          method.path,
          requestSerialize,
          responseDeserialize,
          request,
          metadata,
          grpc,
          (error, response) => {
            call.signal?.removeEventListener('abort', cancel);
            if (error !== null) reject(reasonOf(error, call));
            else if (response === undefined)
              reject(new AppError('call_failed', `${method.path} answered without a message`));
            else resolve(response);
          },
        );
        const cancel = (): void => running.cancel();
        call.signal?.addEventListener('abort', cancel, { once: true });
        running.on('metadata', (head: Metadata) => tellId(head, call));
      });
    },

    stream(method, request, given) {
      const { call, metadata, grpc } = begin(method, given);
      const { path, requestSerialize: encode, responseDeserialize: decode } = method;
      type Response = ReturnType<typeof decode>;
      const start = () => client.makeServerStreamRequest(path, encode, decode, request, metadata, grpc);
      return abortableStream((signal) => read<Response>(start, { ...call, signal }), call.signal);
    },

    close() {
      isClosed = true;
      client.close();
    },
  };
}

/** The messages of a stream, which begins at the first request for one. Leaving it cancels the call. */
async function* read<T>(
  start: () => ClientReadableStream<T>,
  call: Checked<ClientCallOptions> & { readonly signal: AbortSignal },
): AsyncGenerator<T, void> {
  const running = start();
  const cancel = (): void => running.cancel();
  call.signal.addEventListener('abort', cancel, { once: true });
  running.on('metadata', (head: Metadata) => tellId(head, call));
  try {
    for await (const message of running as AsyncIterable<T>) yield message;
  } catch (error) {
    throw isServiceError(error) ? reasonOf(error, call) : error;
  } finally {
    call.signal.removeEventListener('abort', cancel);
    cancel();
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return isError(error) && 'details' in error && 'metadata' in error;
}

/** An aborted call rejects with the reason of its signal. */
function reasonOf(error: ServiceError, { signal }: Checked<ClientCallOptions>): unknown {
  return signal?.aborted === true ? signal.reason : toAppError(error);
}

function tellId(head: Metadata, { onRequestId }: Checked<ClientCallOptions>): void {
  const [id] = head.get(REQUEST_ID_KEY);
  if (id !== undefined) onRequestId?.(String(id));
}

function toCredentials(tls: Checked<ClientTls> | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const { ca, cert, key } = tls;
  const toBuffer = (pem: string | Uint8Array): Buffer => Buffer.from(pem);
  try {
    const context = createSecureContext({
      minVersion: 'TLSv1.2',
      ...(ca !== undefined && { ca: toBuffer(ca) }),
      ...(cert !== undefined && { cert: toBuffer(cert) }),
      ...(key !== undefined && { key: toBuffer(key) }),
    });
    return credentials.createFromSecureContext(context);
  } catch {
    throw invalidValue('tls', 'PEM that does not fit', 'a certificate with its private key, and CAs, in PEM');
  }
}
