import type { CodeTable } from '../base/index.js';

/** Codes of answers that a program asked for in a form, and of tools that the library runs. */
export const embeddingCodes = {
  answer_incomplete: {
    who: 'caller',
    kind: 'out_of_range',
    when: 'an answer in a form ended before it was whole: at its limit of tokens or at the end of the context',
  },
  answer_invalid: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'an answer has the form of its schema, and the schema’s own checks, such as refinements, refuse it',
  },
  tool_unknown: { who: 'caller', kind: 'not_found', when: 'the model calls a tool that was not offered' },
  tool_arguments_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the checks of a tool’s schema refuse the arguments that the model gave it',
  },
  tool_result_invalid: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a tool returned neither text nor JSON, or a result over its limit',
  },
  tool_limit_exceeded: {
    who: 'caller',
    kind: 'resource_exhausted',
    when: 'the model still calls tools after the last round, or makes too many calls in one round',
  },
} as const satisfies CodeTable;
