// Texts that several parts of gateway.yaml have.
import { Type } from '../../../schema/index.js';
import { annotate } from '../../../yaml-file/index.js';

/** The id of a runtime. */
export const runtimeId = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
    ...annotate(description, { expected: '1 to 64 letters, digits, dots, dashes and underscores' }),
  });

/** The name of a model as clients send it: no spaces, since it is compared whole, and no `*`, which keys use. */
export const MODEL_ID = '^[\\x21-\\x29\\x2b-\\x7e]{1,256}$';

/** An ISO 4217 code. */
export const currency = Type.String({
  pattern: '^[A-Z]{3}$',
  ...annotate('Three letters of ISO 4217. All prices and budgets that meet must have the same.', {
    expected: 'three capital letters such as EUR',
  }),
});

/** Tokens at most in one answer. */
export const maxOutputTokens = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 10_000_000, ...annotate(description) });
