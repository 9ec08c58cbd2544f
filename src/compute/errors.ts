import type { CodeTable } from '../base/index.js';

/** Codes of the compute module. */
export const computeCodes = {
  backend_unavailable: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'the backend asked for does not exist in this build or on this machine',
  },
  kernel_unavailable: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'no variant of the kernels compiles and computes rightly on this machine',
  },
  compute_stopped: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the compute thread group was stopped in the middle of a step',
  },
} as const satisfies CodeTable;
