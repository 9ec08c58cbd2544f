import type { CodeTable } from '../base/index.js';

/** Codes of the weights module. */
export const weightsCodes = {
  checkpoint_not_found: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a directory or a file of a checkpoint does not exist',
  },
  checkpoint_invalid: {
    who: 'caller',
    kind: 'data_loss',
    when: 'a checkpoint file is damaged, truncated or breaks its format',
  },
  tensor_not_found: { who: 'caller', kind: 'failed_precondition', when: 'a checkpoint has no tensor of that name' },
  unsupported_dtype: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a tensor has a type that cannot be read as floats',
  },
  weight_not_finite: { who: 'caller', kind: 'data_loss', when: 'a tensor holds NaN or infinity' },
  weight_overflow: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a weight does not fit the range of the chosen quant',
  },
} as const satisfies CodeTable;
