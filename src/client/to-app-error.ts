import { status as grpcStatus, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { AppError, type ErrorDetails } from '../base/index.js';
import { ERROR_DOMAIN, google, REQUEST_ID_KEY } from '../grpc/index.js';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/**
 * The server's error: with its code, as over HTTP and in the library, where it is one of ours. `details` has the name
 * of the gRPC status as `grpc_status`, and the id of the call.
 */
export function toAppError(error: ServiceError): AppError {
  const { code, details: message, metadata } = error;
  const status = grpcStatus[code] ?? String(code);
  const told = readDetails(metadata);
  const [id] = metadata?.get(REQUEST_ID_KEY) ?? [];
  const details: ErrorDetails = {
    ...told?.details,
    grpc_status: status,
    ...(id !== undefined && { request_id: String(id) }),
  };
  if (told !== undefined) return new AppError(told.code, message, details, { cause: error });
  if (code === grpcStatus.DEADLINE_EXCEEDED) {
    return new AppError('deadline_exceeded', 'the deadline of the call has passed', details, { cause: error });
  }
  if (code === grpcStatus.CANCELLED)
    return new AppError('call_cancelled', 'the call was cancelled', details, { cause: error });
  if (code === grpcStatus.UNAVAILABLE) {
    const text = `the server cannot be reached: ${message}`;
    return new AppError('server_unavailable', text, details, { cause: error });
  }
  return new AppError('call_failed', `the call failed with ${status}: ${message}`, details, { cause: error });
}

/** The code and the details of an error of ours. */
function readDetails(
  metadata: Metadata | undefined,
): { readonly code: string; readonly details: ErrorDetails } | undefined {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(bytes)) return undefined;
  try {
    const found = google.rpc.Status.decode(bytes).details.find(({ type_url: url }) => url === ERROR_INFO);
    if (found === undefined) return undefined;
    const { domain, metadata: told } = google.rpc.ErrorInfo.decode(found.value);
    const { code, ...details } = told;
    return domain === ERROR_DOMAIN && code !== undefined ? { code, details } : undefined;
  } catch {
    // Details of a proxy, without meaning here.
    return undefined;
  }
}
