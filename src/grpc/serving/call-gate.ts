/**
 * The gate of every call before its handler: checks the caller's identity, its role, and the limits. It decides on the
 * head of the call, before the message arrives. It also records the end of each call, once.
 */
import {
  ServerInterceptingCall,
  status as grpcStatus,
  type Metadata,
  type ServerInterceptor,
  type ServerListener,
} from '@grpc/grpc-js';
import { AppError, isAppError, unixMs, type Clock } from '../../base/index.js';
import type { AccessList } from '../identity/access-list.js';
import { ANONYMOUS } from '../identity/identity.js';
import type { GrpcLimits } from '../limits.js';
import { REQUEST_ID_KEY, type ToStatus } from '../status/status-mapper.js';
import { toRequestId } from './call-heads.js';
import { OpenCall } from './open-call.js';
import type { GrpcService } from './service.js';
import type { StreamHead } from './stream-heads.js';

/** An ended call. */
export interface EndedCall {
  readonly call: OpenCall;
  /** Its gRPC code. */
  readonly code: grpcStatus;
}

/** The gate's inputs and callbacks. */
export interface GateOptions {
  readonly limits: GrpcLimits;
  readonly clock: Clock;
  readonly access: () => AccessList;
  readonly serviceOf: (path: string) => GrpcService | undefined;
  readonly toStatus: ToStatus;
  /** The stream of a call; removes the mark from the metadata. */
  readonly takeHead: (metadata: Metadata) => StreamHead | undefined;
  readonly calls: Set<OpenCall>;
  /** The reason for refusing inference now; undefined: inference is accepted. */
  readonly refusesData: () => AppError | undefined;
  /** Called if a call fails because of the client's input or rate. */
  readonly onFailed: (call: OpenCall) => void;
  readonly onEnd: (ended: EndedCall) => void;
}

/** Admitted calls, by the metadata that their handlers receive. */
export type PassedCalls = WeakMap<Metadata, OpenCall>;

/** The gate as an interceptor. */
export function createCallGate(options: GateOptions, passed: PassedCalls): ServerInterceptor {
  const { limits, clock, access, serviceOf, toStatus, takeHead, calls, refusesData, onFailed, onEnd } = options;

  const numAlike = (isData: boolean): number => {
    let count = 0;
    if (calls.size < limits.calls) return count;
    for (const call of calls) if (call.isData === isData) count++;
    return count;
  };

  const checkCall = (call: OpenCall, identity: OpenCall['identity'] | AppError, metadataBytes: number): void => {
    const service = serviceOf(call.method);
    if (isAppError(identity)) throw identity;
    const roles = access().rolesOf(identity);
    const isAllowed = service?.role === 'any' ? roles.size > 0 : service !== undefined && roles.has(service.role);
    if (!isAllowed) throw refusedIdentity(call, service);
    if (metadataBytes > limits.metadataBytes) {
      const message = `the metadata of the call has ${metadataBytes} bytes; the limit is ${limits.metadataBytes}`;
      throw new AppError('metadata_invalid', message, { limit: limits.metadataBytes });
    }
    // Inference that fills the server does not block calls for health or for cancelling.
    const alike = numAlike(call.isData);
    if (alike >= limits.calls) {
      const message = `${alike} calls are under way, which is the limit; try again later`;
      throw new AppError('too_many_calls', message, { limit: limits.calls });
    }
    const why = call.isData ? refusesData() : undefined;
    if (why !== undefined) throw why;
  };

  return (method, next) => {
    let call: OpenCall | undefined;
    let code: grpcStatus | undefined;
    let stopReceiving = (): void => {};
    let isFailed = false;

    const note = (said: grpcStatus): void => {
      if (call === undefined || isFailed || !CLIENT_FAILURES.has(said)) return;
      isFailed = true;
      onFailed(call);
    };

    const refuse = (error: unknown): void => {
      const id = call?.id ?? 'unknown';
      const { status, errorCode } = toStatus(error, id);
      if (call !== undefined) call.record.errorCode = errorCode;
      code = status.code;
      note(code);
      next.sendStatus(status);
    };

    const listener: Partial<ServerListener> = {
      onReceiveMetadata(metadata, pass) {
        const head = takeHead(metadata);
        if (head === undefined) {
          refuse(new AppError('internal_error', 'a call without its stream'));
          return;
        }
        const { connection } = head;
        const asked = metadata.get(REQUEST_ID_KEY).map(String);
        const id = toRequestId(asked);
        const identity = isAppError(connection.identity) ? ANONYMOUS : connection.identity;
        call = new OpenCall(
          {
            id: id ?? toRequestId([]) ?? '',
            method: method.path,
            isData: serviceOf(method.path)?.role === 'data',
            identity,
            connection,
            deadlineUnixMs: Number(next.getDeadline()),
            stream: head.stream,
          },
          clock,
        );
        try {
          checkCall(call, connection.identity, head.bytes);
          if (id === undefined) throw badRequestId();
        } catch (error) {
          refuse(error);
          return;
        }
        calls.add(call);
        connection.calls.add(call);
        const receiving = head.receive(refuse);
        stopReceiving = () => receiving.stop();
        passed.set(metadata, call);
        pass(metadata);
      },
      onReceiveMessage(message, pass) {
        stopReceiving();
        pass(message);
      },
      onCancel() {
        stopReceiving();
        if (call === undefined) return;
        calls.delete(call);
        call.connection.calls.delete(call);
        // grpc-js itself sends some statuses, as for a deadline or a too large message. Nothing sent: the client left.
        const ended = code ?? sentCode(call) ?? grpcStatus.CANCELLED;
        note(ended);
        call.end(unixMs() >= call.deadlineUnixMs);
        call.finish(clock);
        onEnd({ call, code: ended });
      },
    };

    return new ServerInterceptingCall(next, {
      start: (begin) => begin(listener),
      sendMetadata(metadata, send) {
        if (call !== undefined) metadata.set(REQUEST_ID_KEY, call.id);
        send(metadata);
      },
      sendMessage(message, send) {
        call?.connection.noteSent();
        send(message);
      },
      sendStatus(status, send) {
        code ??= status.code ?? undefined;
        if (code !== undefined) note(code);
        send(status);
      },
    });
  };
}

/** Codes that count as the client's failure. Faults and shutdown of the server and cancelled calls do not count. */
const CLIENT_FAILURES: ReadonlySet<grpcStatus> = new Set([
  grpcStatus.INVALID_ARGUMENT,
  grpcStatus.NOT_FOUND,
  grpcStatus.ALREADY_EXISTS,
  grpcStatus.PERMISSION_DENIED,
  grpcStatus.UNAUTHENTICATED,
  grpcStatus.RESOURCE_EXHAUSTED,
  grpcStatus.FAILED_PRECONDITION,
  grpcStatus.OUT_OF_RANGE,
  grpcStatus.UNIMPLEMENTED,
]);

function refusedIdentity({ identity, method }: OpenCall, service: GrpcService | undefined): AppError {
  const lists = { control: 'control_identities', data: 'data_identities', any: 'neither list' } as const;
  const where =
    service?.role === 'any' ? 'is in neither list of identities' : `is not in ${lists[service?.role ?? 'any']}`;
  const message = `the identity ${identity.label} ${where}, so that it may not call ${method}`;
  return new AppError('identity_refused', message, { identity: identity.label });
}

function badRequestId(): AppError {
  const message =
    'x-request-id must be one value of 1 to 128 letters, digits and any of . _ : - ; leave it out to get one';
  return new AppError('metadata_invalid', message, { param: REQUEST_ID_KEY });
}

/** The code that the server sent on a stream, in its trailers or in a trailers-only head. */
function sentCode({ stream }: OpenCall): grpcStatus | undefined {
  const sent = stream.sentTrailers?.['grpc-status'] ?? stream.sentHeaders?.['grpc-status'];
  const number = Number(sent);
  return sent === undefined || !Number.isInteger(number) ? undefined : number;
}
