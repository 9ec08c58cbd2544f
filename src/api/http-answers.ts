import { unixMs, type ErrorDetails, type ErrorKind, type KindOf } from '../base/index.js';

/** The HTTP form of an error. */
export interface HttpAnswer {
  readonly status: number;
  /** `error.type` of an OpenAI-shaped body. */
  readonly type:
    | 'invalid_request_error'
    | 'authentication_error'
    | 'permission_error'
    | 'rate_limit_error'
    | 'budget_exceeded'
    | 'server_error';
  /** `error.code` where clients know another code than ours. */
  readonly code?: string;
  /** SDKs would retry by its status, and must not. */
  readonly isFinal?: boolean;
  /** Seconds until a retry makes sense; absent: a retry is useless, or the caller must change the request. */
  readonly retryAfterSeconds?: number;
  /** The message is private: the log has it, the answer does not. */
  readonly isPrivate?: boolean;
}

const REQUEST = 'invalid_request_error';
const SERVER = 'server_error';
const HIDDEN: HttpAnswer = { status: 500, type: SERVER, isPrivate: true };
const FAILED: HttpAnswer = { status: 500, type: SERVER };
/** The engine is back, or a slot is free, within a second. */
const SOON: HttpAnswer = { status: 503, type: SERVER, retryAfterSeconds: 1 };
/** The retry waits for the load of a model. */
const LATER: HttpAnswer = { status: 503, type: SERVER, retryAfterSeconds: 5 };

/**
 * The answer to each kind of error. Two differ from gRPC's own mapping to HTTP (google/rpc/code.proto).
 * `failed_precondition` is 500, since a client can mend neither the files nor the machine of a server. `unimplemented`
 * is 400, as OpenAI's API answers a field that a model does not support.
 */
const byKind: Readonly<Record<ErrorKind, HttpAnswer>> = {
  invalid_argument: { status: 400, type: REQUEST },
  out_of_range: { status: 400, type: REQUEST },
  unimplemented: { status: 400, type: REQUEST },
  unauthenticated: { status: 401, type: 'authentication_error' },
  permission_denied: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: REQUEST },
  already_exists: { status: 409, type: REQUEST },
  aborted: { status: 409, type: REQUEST },
  resource_exhausted: { status: 429, type: 'rate_limit_error' },
  cancelled: HIDDEN,
  internal: HIDDEN,
  failed_precondition: FAILED,
  data_loss: FAILED,
  unavailable: SOON,
  deadline_exceeded: { status: 504, type: SERVER },
};

/** The server has the model and never answers with it, for any client. Source: RFC 9110, 15.5.4. */
const REFUSED: HttpAnswer = { status: 403, type: 'permission_error', isFinal: true };

/** Codes whose answer differs from that of their kind: HTTP has a status of its own for them, or they take longer to mend. */
const exceptions: ReadonlyMap<string, HttpAnswer> = new Map<string, HttpAnswer>([
  ['method_not_allowed', { status: 405, type: REQUEST }],
  ['request_timeout', { status: 408, type: REQUEST }],
  ['length_required', { status: 411, type: REQUEST }],
  ['request_too_large', { status: 413, type: REQUEST }],
  ['unsupported_media_type', { status: 415, type: REQUEST }],
  ['expectation_failed', { status: 417, type: REQUEST }],
  ['etag_mismatch', { status: 412, type: REQUEST }],
  // Source: RFC 6585, 3.
  ['etag_missing', { status: 428, type: REQUEST }],
  ['headers_too_large', { status: 431, type: REQUEST }],
  // The machine is exhausted, not a client's allowance.
  ['disk_full', FAILED],
  ['too_many_open_files', FAILED],
  ['out_of_memory', FAILED],
  ['signature_missing', REFUSED],
  ['signature_untrusted', REFUSED],
  ['signature_invalid', REFUSED],
  ['signature_rollback', REFUSED],
  // The operator may load it again. Source: RFC 9110, 15.6.4.
  ['model_unloaded', LATER],
  // Only the log has it. Source: nginx.
  ['client_left', { status: 499, type: REQUEST }],
  // An option of the program, never of a request.
  ['invalid_option', HIDDEN],
  // A gateway's own failure has a status of its own. Source: RFC 9110, 15.6.3.
  ['upstream_error', { status: 502, type: SERVER }],
  // Source: RFC 9110, 15.6.2.
  ['upstream_api_missing', { status: 501, type: SERVER, isFinal: true }],
  // An upstream's complete answer exceeds the limit: a retry would give the same.
  ['output_limit_reached', { status: 502, type: SERVER, isFinal: true }],
  ['hub_unreachable', { status: 502, type: SERVER }],
  ['hub_answer_invalid', { status: 502, type: SERVER }],
  ['hub_content_mismatch', { status: 502, type: SERVER }],
  // Clients know one code for an unknown name.
  ['hub_repository_missing', { status: 404, type: REQUEST, code: 'model_not_found' }],
  ['pull_quant_missing', { status: 404, type: REQUEST, code: 'model_not_found' }],
  // The hub throttles this machine, and not the client.
  ['hub_throttled', LATER],
  ['pull_busy', LATER],
  // SDKs know OpenAI's code for an empty account. They retry a 429 unless a header forbids it.
  ['budget_exceeded', { status: 429, type: 'budget_exceeded', code: 'insufficient_quota', isFinal: true }],
  // Source: RFC 9110, 15.5.3. An account does not fill while a client retries.
  ['insufficient_credit', { status: 402, type: 'budget_exceeded', isFinal: true }],
  // A retry changes nothing: the account has another currency than the price.
  ['currency_mismatch', { status: 403, type: 'permission_error', isFinal: true }],
  // SDKs retry a 409, and this one stays.
  ['idempotency_key_used', { status: 409, type: REQUEST, isFinal: true }],
  // No request of this kind works, whatever it says. Source: RFC 9110, 15.6.2.
  ['hub_missing', { status: 501, type: SERVER, isFinal: true }],
  ['model_loading', LATER],
  ['models_busy', LATER],
  ['engine_restarted', LATER],
  ['supervisor_escalated', LATER],
]);

/** The answer to an error code; a code without a kind is a bug of ours. */
export function toHttpAnswer(code: string, kindOf: KindOf): HttpAnswer {
  const kind = kindOf(code);
  return kind === undefined ? HIDDEN : (exceptions.get(code) ?? byKind[kind]);
}

/** Retry time of a 429 without one of its own: a retry within a minute is seldom worth it. */
const LIMITED_MS = 60_000;
/** Retry time of a budget that never resets by itself: its operator may have raised it a day later. */
const NEVER_FULL_MS = 86_400_000;

/**
 * The headers of an answer. `retry-after` comes from its code or from `details` of its error. A failure that time will
 * not mend has a header against retries, a missing key one with the authentication scheme. Every 429 has `retry-after`
 * and `x-ratelimit-*`: the limit, where it is a number, a remainder of 0, and the seconds until its reset.
 */
export function toHttpHeaders(
  answer: HttpAnswer,
  details: ErrorDetails = {},
  nowMs: number = unixMs(),
): Record<string, string> {
  const { status, isFinal = status === 500 } = answer;
  // A 401 must name the authentication scheme. Source: RFC 9110, 15.5.2.
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  const final = isFinal ? { 'x-should-retry': 'false' } : {};
  const waitMs = status === 429 ? limitedMs(details, nowMs) : isFinal ? 0 : waitOf(answer, details);
  if (waitMs <= 0) return final;
  const seconds = String(Math.ceil(waitMs / 1000));
  const wait = { ...final, 'retry-after': seconds, 'retry-after-ms': String(Math.ceil(waitMs)) };
  if (status !== 429) return wait;
  const { value } = details;
  const limit = typeof value === 'number' ? { 'x-ratelimit-limit': String(value) } : {};
  return { ...wait, ...limit, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': seconds };
}

function waitOf({ retryAfterSeconds = 0 }: HttpAnswer, { retryAfterMs }: ErrorDetails): number {
  return typeof retryAfterMs === 'number' ? retryAfterMs : retryAfterSeconds * 1000;
}

/** Milliseconds until a limit resets: the wait of a rate, the end of a budget's window. */
function limitedMs({ retryAfterMs, resetsAtMs }: ErrorDetails, nowMs: number): number {
  if (typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs)) return Math.max(1, retryAfterMs);
  if (resetsAtMs === null) return NEVER_FULL_MS;
  return typeof resetsAtMs === 'number' ? Math.max(1_000, resetsAtMs - nowMs) : LIMITED_MS;
}
