// Runs handlers: decodes messages, encodes answers, and follows the pace of the client.
import {
  Metadata,
  status as grpcStatus,
  type handleBidiStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerDuplexStream,
  type ServerWritableStream,
  type StatusObject,
} from '@grpc/grpc-js';
import { AppError, isError, toErrorData, type Clock } from '../../base/index.js';
import type { FailedCall } from '../status/status-mapper.js';
import type { OpenCall } from './open-call.js';
import type { CallFacts, ServiceCall, ServiceMethod } from './service.js';

/** Options for running handlers. */
export interface CallRunner {
  readonly takeCall: (metadata: Metadata) => OpenCall;
  /** Turns an error of a handler into a status, and logs private errors, which clients do not see. */
  readonly fail: (thrown: unknown, call: OpenCall) => FailedCall;
  readonly clock: Clock;
  readonly writeStallMs: number;
}

/** Encoded messages. This file decodes and encodes them, so each error has a code. */
type Bytes = Buffer;

/** A handler of one message and one answer, as @grpc/grpc-js calls it. */
export function runUnary({ definition, handle }: ServiceMethod, runner: CallRunner): handleUnaryCall<Bytes, Bytes> {
  return (grpcCall, callback) => {
    const call = runner.takeCall(grpcCall.metadata);
    // The metadata carries the call's id, which a client needs to cancel the call while it runs.
    grpcCall.sendMetadata(new Metadata());
    const answer = async (): Promise<Bytes> => {
      const response = await handle(toServiceCall(call, definition, grpcCall.request));
      call.signal.throwIfAborted();
      return definition.responseSerialize(response as never);
    };
    answer().then(
      (response) => callback(null, response),
      (thrown: unknown) => callback(failure(runner, thrown, call)),
    );
  };
}

/** A handler of one message and a stream of answers. */
export function runServerStream(
  { definition, handle }: ServiceMethod,
  runner: CallRunner,
): handleServerStreamingCall<Bytes, Bytes> {
  return (grpcCall) => {
    const call = runner.takeCall(grpcCall.metadata);
    grpcCall.sendMetadata(new Metadata());
    void pump(grpcCall, call, runner, () => {
      const responses = handle(toServiceCall(call, definition, grpcCall.request)) as AsyncIterable<object>;
      return { responses, definition };
    });
  };
}

/** A handler of a stream of messages and a stream of answers. */
export function runBidi(
  { definition, handle }: ServiceMethod,
  runner: CallRunner,
): handleBidiStreamingCall<Bytes, Bytes> {
  return (grpcCall: ServerDuplexStream<Bytes, Bytes>) => {
    const call = runner.takeCall(grpcCall.metadata);
    grpcCall.sendMetadata(new Metadata());
    void pump(grpcCall, call, runner, () => {
      const requests = decodeAll(grpcCall, definition);
      const responses = handle({ ...toBase(call), request: undefined as never, requests });
      return { responses: responses as AsyncIterable<object>, definition };
    });
  };
}

/** Writes a stream as fast as its client reads, and pulls each item only when the client is ready. Never rejects. */
async function pump(
  grpcCall: ServerWritableStream<Bytes, Bytes> | ServerDuplexStream<Bytes, Bytes>,
  call: OpenCall,
  runner: CallRunner,
  begin: () => { readonly responses: AsyncIterable<object>; readonly definition: ServiceMethod['definition'] },
): Promise<void> {
  try {
    const { responses, definition } = begin();
    for await (const response of responses) {
      call.signal.throwIfAborted();
      if (!grpcCall.write(definition.responseSerialize(response as never))) await drained(grpcCall, call, runner);
    }
    call.signal.throwIfAborted();
    grpcCall.end();
  } catch (thrown) {
    grpcCall.emit('error', failure(runner, thrown, call));
    // A client that does not read never gets the status behind the data.
    if (call.record.errorCode === 'reader_too_slow') call.reset();
    else call.resetLater(runner.clock, LAST_WORDS_MS);
  }
}

/** Time for a client to read the status of a failed call. */
const LAST_WORDS_MS = 5_000;

/** Waits until the client has taken the written data. Errors: `reader_too_slow`, the reason of the call's signal. */
function drained(
  grpcCall: ServerWritableStream<Bytes, Bytes> | ServerDuplexStream<Bytes, Bytes>,
  { signal }: OpenCall,
  { clock, writeStallMs }: CallRunner,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = grpcCall.writableLength;
    const settle = (error?: unknown): void => {
      cancel();
      grpcCall.removeListener('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onDrain = (): void => settle();
    const onAbort = (): void => settle(signal.reason);
    const onStall = (): void => {
      const now = grpcCall.writableLength;
      if (now !== left) {
        // The client reads, but slowly.
        left = now;
        cancel = clock.after(writeStallMs, onStall);
        return;
      }
      settle(
        new AppError('reader_too_slow', `the client took nothing for ${writeStallMs} ms`, { limit: writeStallMs }),
      );
    };
    let cancel = clock.after(writeStallMs, onStall);
    grpcCall.once('drain', onDrain);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function toServiceCall(call: OpenCall, definition: ServiceMethod['definition'], bytes: Bytes): ServiceCall<never> {
  const request = decode(definition, bytes) as never;
  return { ...toBase(call), request, requests: once(request) };
}

function toBase(call: OpenCall): CallFacts {
  const { id, signal, identity, caller, record, deadlineUnixMs, receivedMs } = call;
  return { id, signal, identity, caller, record, deadlineUnixMs, receivedMs };
}

async function* once<T>(value: T): AsyncGenerator<T, void> {
  yield value;
}

/** Decodes all messages. The end of the messages is not the end of the call: answers may follow. */
async function* decodeAll(
  messages: ServerDuplexStream<Bytes, Bytes>,
  definition: ServiceMethod['definition'],
): AsyncGenerator<never, void> {
  for await (const bytes of messages.iterator({ destroyOnReturn: false })) yield decode(definition, bytes) as never;
}

/** Errors: `message_invalid`. The decoder's text quotes nothing of the message. */
function decode({ path, requestDeserialize }: ServiceMethod['definition'], bytes: Bytes): unknown {
  try {
    return requestDeserialize(bytes);
  } catch (error) {
    const why = isError(error) ? error.message : 'it cannot be read';
    throw new AppError('message_invalid', `the message of ${path} is not what its .proto file says: ${why}`);
  }
}

/** The error in the form of @grpc/grpc-js. */
function failure(runner: CallRunner, thrown: unknown, call: OpenCall): StatusObject & Error {
  if (call.hasLeft) {
    // The client has left and reads no status: a thousand cancelled calls must not cost a thousand detailed statuses.
    call.record.errorCode = toErrorData(call.signal.reason).code;
    return Object.assign(new Error('CANCELLED'), GONE);
  }
  const { status, errorCode } = runner.fail(call.signal.aborted ? call.signal.reason : thrown, call);
  call.record.errorCode = errorCode;
  return Object.assign(new Error(grpcStatus[status.code]), status);
}

const GONE = { code: grpcStatus.CANCELLED, details: '', metadata: new Metadata() } as const;
