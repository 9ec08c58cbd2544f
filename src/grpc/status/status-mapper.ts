import { Metadata, status as grpcStatus } from '@grpc/grpc-js';
import { hidePaths, toErrorData, type ErrorDetails, type ErrorKind, type KindOf } from '../../base/index.js';
import { google } from '../messages.js';

/** The status of a call in the form of @grpc/grpc-js. */
export interface CallStatus {
  readonly code: grpcStatus;
  readonly details: string;
  readonly metadata: Metadata;
}

/** The failure of a call. */
export interface FailedCall {
  readonly status: CallStatus;
  /** The code of the error, for the log. */
  readonly errorCode: string;
  /** Only the log contains the reason. */
  readonly isPrivate: boolean;
}

/** Converts an error of the call `requestId` to a status. */
export type ToStatus = (thrown: unknown, requestId: string) => FailedCall;

/** The metadata key of a status's details. Source: gRPC's guide to richer errors. */
const DETAILS_KEY = 'grpc-status-details-bin';
export const REQUEST_ID_KEY = 'x-request-id';
/** The domain of the error reasons. */
export const ERROR_DOMAIN = 'troupe';
const TYPE_PREFIX = 'type.googleapis.com/';
/** Clients in C and Go accept 8 KiB of metadata, which contain the message twice, once escaped. */
const MAX_MESSAGE = 1_024;
const MAX_DETAIL = 256;
const MAX_DETAILS = 16;
/** The default delay before a retry. */
const RETRY_MS = 1_000;

const codes: Readonly<Record<ErrorKind, grpcStatus>> = {
  cancelled: grpcStatus.CANCELLED,
  invalid_argument: grpcStatus.INVALID_ARGUMENT,
  deadline_exceeded: grpcStatus.DEADLINE_EXCEEDED,
  not_found: grpcStatus.NOT_FOUND,
  already_exists: grpcStatus.ALREADY_EXISTS,
  permission_denied: grpcStatus.PERMISSION_DENIED,
  resource_exhausted: grpcStatus.RESOURCE_EXHAUSTED,
  failed_precondition: grpcStatus.FAILED_PRECONDITION,
  aborted: grpcStatus.ABORTED,
  out_of_range: grpcStatus.OUT_OF_RANGE,
  unimplemented: grpcStatus.UNIMPLEMENTED,
  internal: grpcStatus.INTERNAL,
  unavailable: grpcStatus.UNAVAILABLE,
  data_loss: grpcStatus.DATA_LOSS,
  unauthenticated: grpcStatus.UNAUTHENTICATED,
};

/**
 * Creates a mapper from errors to statuses by their kind. `exceptions`: codes with a different status. For an internal
 * error, or one without a known code, the caller receives only the id for finding it in the log.
 */
export function createStatusMapper(kindOf: KindOf, exceptions: ReadonlyMap<string, ErrorKind>): ToStatus {
  return (thrown, requestId) => {
    const { code: errorCode, message, details } = hidePaths(toErrorData(thrown));
    const kind = exceptions.get(errorCode) ?? kindOf(errorCode) ?? 'internal';
    const isPrivate = kind === 'internal';
    const param = paramOf(details);
    const isField = kind === 'unimplemented' && param !== undefined;
    // A field that a model does not support is an invalid argument, not a missing method.
    const code = codes[isField ? 'invalid_argument' : kind];
    const told = isPrivate
      ? `the server failed; its log has the reason under the x-request-id ${requestId}`
      : shorten(message, MAX_MESSAGE);
    const known = isPrivate && kindOf(errorCode) === undefined ? 'internal_error' : errorCode;
    const metadata = new Metadata();
    metadata.set(REQUEST_ID_KEY, requestId);
    const all = [
      errorInfo(known, isPrivate ? {} : details),
      ...(param !== undefined && code === grpcStatus.INVALID_ARGUMENT ? [badRequest(param, told)] : []),
      ...(isRetryable(kind) ? [retryInfo(details)] : []),
      pack('google.rpc.RequestInfo', google.rpc.RequestInfo.encode({ request_id: requestId })),
    ];
    const status = google.rpc.Status.encode({ code, message: told, details: all }).finish();
    metadata.set(DETAILS_KEY, Buffer.from(status));
    return { status: { code, details: told, metadata }, errorCode: known, isPrivate };
  };
}

/** Whether the same call may succeed later. */
function isRetryable(kind: ErrorKind): boolean {
  return kind === 'unavailable' || kind === 'resource_exhausted';
}

function errorInfo(code: string, details: ErrorDetails): Packed {
  const entries = Object.entries(details)
    .filter(([, value]) => value !== null)
    .slice(0, MAX_DETAILS);
  const metadata = Object.fromEntries(entries.map(([name, value]) => [name, shorten(String(value), MAX_DETAIL)]));
  const info = { reason: code.toUpperCase(), domain: ERROR_DOMAIN, metadata: { ...metadata, code } };
  return pack('google.rpc.ErrorInfo', google.rpc.ErrorInfo.encode(info));
}

function badRequest(field: string, description: string): Packed {
  const violation = { field: shorten(field, MAX_DETAIL), description: shorten(description, MAX_DETAIL) };
  return pack('google.rpc.BadRequest', google.rpc.BadRequest.encode({ field_violations: [violation] }));
}

function retryInfo({ retryAfterMs }: ErrorDetails): Packed {
  const waitMs = typeof retryAfterMs === 'number' ? retryAfterMs : RETRY_MS;
  const delay = { seconds: Math.floor(waitMs / 1000), nanos: Math.round((waitMs % 1000) * 1e6) };
  return pack('google.rpc.RetryInfo', google.rpc.RetryInfo.encode({ retry_delay: delay }));
}

/** A message in a google.protobuf.Any. */
interface Packed {
  readonly type_url: string;
  readonly value: Uint8Array;
}

function pack(name: string, writer: { finish(): Uint8Array }): Packed {
  return { type_url: TYPE_PREFIX + name, value: writer.finish() };
}

function paramOf({ param, field }: ErrorDetails): string | undefined {
  const name = param ?? field;
  return typeof name === 'string' ? name : undefined;
}

/** Shortens a text. A half of a surrogate pair cannot be escaped and is cut off too. */
function shorten(text: string, most: number): string {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return cut.toWellFormed();
}
