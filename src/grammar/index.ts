/** What may come next: constraints over token ids, and the masks they make. Deliberately absent: sampling, HTTP. */

export { checkTokenId } from './check-token-id.js';
export type { Constraint } from './constraint.js';
export { checkConstraint, createConstraint, type ConstraintSpec } from './constraints/index.js';
export { type TokenMask } from './token-mask.js';
export { grammarCodes } from './errors.js';
export { readRegex, type RegexOptions } from './regex/index.js';
export {
  readAnyJson,
  readJsonSchema,
  type AnyJsonOptions,
  type JsonSchemaGrammar,
  type JsonSchemaOptions,
} from './schema/index.js';
