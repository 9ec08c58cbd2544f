import { AppError } from '../../base/index.js';

/** The error for a file that breaks the format. */
export function ggufInvalid(file: string, why: string): AppError {
  return new AppError('checkpoint_invalid', `${file} is not a valid GGUF file: ${why}`, { file });
}
