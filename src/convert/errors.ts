import { AppError, type CodeTable } from '../base/index.js';

/** Codes of the convert module. */
export const convertCodes = {
  checkpoint_mismatch: {
    who: 'caller',
    kind: 'failed_precondition',
    when: "a checkpoint's tensors or tokenizer are not those of its config.json",
  },
} as const satisfies CodeTable;

/** The error for tensors that contradict config.json. */
export function tensorMismatch(tensor: string, why: string): AppError {
  return new AppError('checkpoint_mismatch', `tensor "${tensor}" ${why}`, { tensor });
}

/** The error for an invalid file beside the weights. */
export function invalidFile(file: string, why: string): AppError {
  return new AppError('checkpoint_invalid', `checkpoint file ${file} ${why}`, { file });
}

/** The error for a file that changed during its read. */
export function changedWhileRead(path: string): AppError {
  const message = `${path} changed while it was read; load it again when no process writes it any more`;
  return new AppError('checkpoint_invalid', message, { path });
}
