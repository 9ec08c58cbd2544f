import type { CodeTable } from '../base/index.js';

/** Codes of a sequence's failures. */
export const engineCodes = {
  context_length_exceeded: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the prompt does not fit in the context, or leaves no room in it for one token',
  },
  overloaded: {
    who: 'wait',
    kind: 'unavailable',
    when: 'more sequences wait than the queue may hold, or a cache has no room',
  },
  numeric_failure: {
    who: 'operator',
    kind: 'data_loss',
    when: 'logits or hidden states are not finite: the weights or the kernels are broken',
  },
  request_poisonous: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'the engine died at least twice of this request, which is not computed again; others go on',
  },
  engine_hung: {
    who: 'wait',
    kind: 'unavailable',
    when: 'a step did not end within its time limit, so that the engine was started again',
  },
  engine_restarted: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the engine died more often than its restart intensity allows',
  },
  engine_closed: {
    who: 'caller',
    kind: 'unavailable',
    when: 'the engine or model was disposed while, or before, it was asked',
  },
} as const satisfies CodeTable;
