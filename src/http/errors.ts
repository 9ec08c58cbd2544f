import type { CodeTable } from '../base/index.js';

/** Codes of requests that never reach a handler, and of a listener that cannot start. Names are OpenAI's where it has one. */
export const httpCodes = {
  request_malformed: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a request cannot be read without doubt, and its connection was closed',
  },
  host_refused: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'the Host header names no host that the listener answers for',
  },
  origin_refused: {
    who: 'caller',
    kind: 'permission_denied',
    when: 'a web page of an origin that is not allowed sent the request',
  },
  headers_too_large: { who: 'caller', kind: 'invalid_argument', when: 'the header block has too many bytes or fields' },
  request_too_large: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the body is larger than the limit, as sent or after decompression',
  },
  request_timeout: { who: 'caller', kind: 'deadline_exceeded', when: 'the request came too slowly' },
  expectation_failed: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the Expect header asks for something other than 100-continue',
  },
  length_required: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a body came in chunks, which the uws transport cannot check; send its length',
  },
  unsupported_media_type: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the body has a content-encoding that cannot be undone here',
  },
  body_encoding_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the body does not decompress as its content-encoding says',
  },
  too_many_bodies: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the bodies of the requests under way take all the memory that they may',
  },
  client_left: {
    who: 'caller',
    kind: 'cancelled',
    when: 'the client closed its connection before the end of its answer; only the log has it, with status 499',
  },
  starting: { who: 'wait', kind: 'unavailable', when: 'the listener is open, and its services are starting' },
  shutting_down: { who: 'wait', kind: 'unavailable', when: 'the listener is draining and takes no new request' },
  address_in_use: { who: 'operator', kind: 'failed_precondition', when: 'another process listens on the port' },
  address_unavailable: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the host and port cannot be listened on by this process',
  },
  transport_unavailable: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the transport asked for is not installed, or not for this Node',
  },
  transport_unsafe: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the uWebSockets.js found is too old, or of no known version, for a host others can reach',
  },
} as const satisfies CodeTable;

/** A code of this module. */
export type HttpCode = keyof typeof httpCodes;
