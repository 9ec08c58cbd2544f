import { invalidValue, type AppError } from '../../base/index.js';

/** Larger than any vocabulary that is published: 262,144 tokens with gemma3. */
export const MAX_GRAMMAR_VOCAB_SIZE = 1 << 22;
/** The longest token that a published vocabulary has is some 500 bytes of white space. */
export const MAX_GRAMMAR_TOKEN_BYTES = 1 << 12;

/** The error of a vocabulary of `count` tokens. */
export function tooMany(count: number): AppError {
  return invalidValue('tokens', count, `at most ${MAX_GRAMMAR_VOCAB_SIZE} tokens`);
}

/** The error of a token of `length` bytes. */
export function tooLong(id: number, length: number): AppError {
  return invalidValue(`tokens[${id}]`, length, `at most ${MAX_GRAMMAR_TOKEN_BYTES} bytes long`);
}
