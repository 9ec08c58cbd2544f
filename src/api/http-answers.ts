/** How an error code is answered over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** `error.type` of the body. */
  readonly type: 'invalid_request_error' | 'permission_error' | 'server_error';
  /** Seconds after which trying again makes sense; absent: it makes none, or the caller must change the request. */
  readonly retryAfterSeconds?: number;
  /** What went wrong is ours alone: the log has it, the answer does not. */
  readonly isPrivate?: boolean;
}

/** An answer and the codes that get it. */
type Group = HttpAnswer & { readonly codes: readonly string[] };

/**
 * Every error code of the product that can reach an HTTP client, by its answer. A code's blame is not enough:
 * who asks the library for a broken artifact can mend it, who asks the server for one cannot.
 */
const groups: readonly Group[] = [
  {
    status: 400,
    type: 'invalid_request_error',
    codes: [
      'json_parse_error',
      'missing_required_parameter',
      'invalid_type',
      'invalid_value',
      'unknown_parameter',
      'unsupported_parameter',
      'unsupported_value',
      'context_length_exceeded',
      'prompt_too_large',
      'text_too_long',
      'template_error',
      'template_timeout',
      'template_missing',
      'unsupported_by_template',
      'tokenizer_missing',
      'request_malformed',
      'body_encoding_invalid',
    ],
  },
  { status: 403, type: 'permission_error', codes: ['host_refused', 'origin_refused'] },
  { status: 404, type: 'invalid_request_error', codes: ['model_not_found', 'not_found_error'] },
  { status: 405, type: 'invalid_request_error', codes: ['method_not_allowed'] },
  { status: 408, type: 'invalid_request_error', codes: ['request_timeout'] },
  { status: 411, type: 'invalid_request_error', codes: ['length_required'] },
  { status: 413, type: 'invalid_request_error', codes: ['request_too_large'] },
  { status: 415, type: 'invalid_request_error', codes: ['unsupported_media_type'] },
  { status: 417, type: 'invalid_request_error', codes: ['expectation_failed'] },
  { status: 431, type: 'invalid_request_error', codes: ['headers_too_large'] },
  {
    status: 500,
    type: 'server_error',
    codes: [
      'access_denied',
      'disk_full',
      'too_many_open_files',
      'path_invalid',
      'io_failed',
      'cache_unwritable',
      'package_not_found',
      'artifact_not_found',
      'artifact_invalid',
      'artifact_corrupt',
      'artifact_version',
      'output_exists',
      'checkpoint_not_found',
      'checkpoint_invalid',
      'checkpoint_mismatch',
      'tensor_not_found',
      'unsupported_dtype',
      'weight_not_finite',
      'weight_overflow',
      'config_invalid',
      'unsupported_architecture',
      'unsupported_config',
      'tokenizer_not_found',
      'tokenizer_invalid',
      'unsupported_tokenizer',
      'template_too_large',
      'backend_unavailable',
      'kernel_unavailable',
      'out_of_memory',
      'numeric_failure',
      'request_poisonous',
    ],
  },
  {
    status: 500,
    type: 'server_error',
    isPrivate: true,
    codes: [
      'internal_error',
      'actor_unknown',
      'actor_spec_invalid',
      'actor_module_not_found',
      'actor_start_failed',
      'actor_exited',
      'actor_method_unknown',
      'not_cloneable',
      'ring_closed',
      'ring_record_too_large',
      'ring_invalid',
      'call_cancelled',
    ],
  },
  {
    status: 503,
    type: 'server_error',
    retryAfterSeconds: 1,
    codes: [
      'overloaded',
      'queue_full',
      'mailbox_full',
      'actor_down',
      'actor_crashed',
      'actor_stopped',
      'actor_killed',
      'compute_stopped',
      'engine_hung',
      'engine_closed',
      'too_many_bodies',
      'shutting_down',
    ],
  },
  {
    status: 503,
    type: 'server_error',
    retryAfterSeconds: 5,
    codes: ['model_loading', 'models_busy', 'engine_restarted', 'supervisor_escalated'],
  },
  { status: 504, type: 'server_error', codes: ['deadline_exceeded'] },
];

/** The same by code. */
export const httpAnswers: ReadonlyMap<string, HttpAnswer> = new Map(
  groups.flatMap(({ codes, ...answer }) => codes.map((code) => [code, answer])),
);

const unexpected: HttpAnswer = { status: 500, type: 'server_error', isPrivate: true };

/** The answer to an error code; one that is nobody's is a bug of ours. */
export function toHttpAnswer(code: string): HttpAnswer {
  return httpAnswers.get(code) ?? unexpected;
}

/** The headers that go with an answer: when to try again, and for a failure that time will not mend, that SDKs shall not. */
export function toHttpHeaders({ status, retryAfterSeconds }: HttpAnswer): Record<string, string> {
  if (retryAfterSeconds !== undefined) {
    return { 'retry-after': String(retryAfterSeconds), 'retry-after-ms': String(retryAfterSeconds * 1000) };
  }
  return status === 500 ? { 'x-should-retry': 'false' } : {};
}
