import type { CodeTable } from '../base/index.js';

/** Codes of a request that cannot be answered as it was written. Names are OpenAI's. */
export const apiCodes = {
  json_parse_error: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the body of a request is not one JSON value that can be read without guessing',
  },
  model_not_found: { who: 'caller', kind: 'not_found', when: 'a request names no model that the server has' },
  missing_required_parameter: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a required field of the request is absent',
  },
  invalid_type: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a field of the request has another JSON type than its schema says',
  },
  unknown_parameter: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a field of a request to the library is none that is known; the nearest is named',
  },
  unsupported_parameter: {
    who: 'caller',
    kind: 'unimplemented',
    when: 'a known field asks for what this build cannot do yet',
  },
  unsupported_value: {
    who: 'caller',
    kind: 'unimplemented',
    when: 'a supported field has a known value that cannot be served',
  },
} as const satisfies CodeTable;
