import type { CodeTable } from '../base/index.js';

/** Codes of a relay. Those of upstreams have the exact reason in `details.reason`. */
export const relayCodes = {
  request_key_ambiguous: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a body to relay has a key that is acted on twice, or in other letters than it is written in',
  },
  request_not_json: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a body to relay is not a JSON object, or nests too deep, so that its model cannot be told',
  },
  upstream_error: {
    who: 'upstream',
    kind: 'unavailable',
    when: 'an upstream cannot be reached, broke off, or did not answer in HTTP',
  },
  upstream_timeout: {
    who: 'upstream',
    kind: 'deadline_exceeded',
    when: 'an upstream did not connect, begin its answer, go on with it or end it in time',
  },
  upstream_api_missing: {
    who: 'operator',
    kind: 'unimplemented',
    when: 'no upstream that may have a request has the API that it came by, and none can have it translated',
  },
  upstream_busy: {
    who: 'wait',
    kind: 'unavailable',
    when: 'as many requests as one upstream may have are under way, or every target is out of service',
  },
} as const satisfies CodeTable;
