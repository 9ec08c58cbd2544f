import { AppError, type CodeTable } from '../base/index.js';

/** Codes of the tokenizer module. */
export const tokenizerCodes = {
  tokenizer_not_found: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a directory has neither tokenizer.bin nor tokenizer.json nor tokenizer.model',
  },
  tokenizer_invalid: {
    who: 'caller',
    kind: 'data_loss',
    when: 'a tokenizer file is damaged, truncated, breaks its format or passes a limit',
  },
  unsupported_tokenizer: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a tokenizer file is sound but needs a part that is not built',
  },
  text_too_long: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a text to encode is longer than the tokenizer takes in one call',
  },
} as const satisfies CodeTable;

/** The error for a file that breaks its format: `where` is a path such as `model.merges[7]`. */
export function tokenizerInvalid(where: string, problem: string): AppError {
  return new AppError('tokenizer_invalid', `tokenizer: ${where}: ${problem}; fetch or convert the tokenizer again`, {
    where,
  });
}

/** The error for a part of a tokenizer that is known to exist and is not built. */
export function unsupportedTokenizer(where: string, part: string): AppError {
  return new AppError('unsupported_tokenizer', `tokenizer: ${where}: ${part} is not supported`, { where, part });
}
