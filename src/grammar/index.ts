/**
 * The tokens that may come next: constraints over token ids, grammars, and the masks they make. Deliberately absent:
 * sampling, HTTP.
 */

export { checkTokenId } from './check-token-id.js';
export { closeObjects } from './close-objects.js';
export { compileGrammar, type CompiledGrammar } from './compile/index.js';
export type { CheckSurroundings, Constraint, ConstraintSurroundings } from './constraint.js';
export { checkConstraint, createConstraint, type ConstraintSpec } from './constraints/index.js';
export { grammarCodes } from './errors.js';
export { lazyEncoder } from './forced/index.js';
export { readGbnf } from './gbnf/index.js';
export type { Dfa, Expression, Grammar } from './grammar.js';
export { freeText } from './free-text.js';
export { GrammarBuilder, textExpression } from './grammar-builder.js';
export {
  createJoinedVocabulary,
  createVocabulary,
  MASK_UNITS,
  openVocabulary,
  type GrammarVocabulary,
  type MaskMaker,
  type MaskOrder,
  type Paused,
} from './mask/index.js';
export { joinGrammar, partGrammar, type NamedConstraint } from './named-constraint.js';
export { readRegex, type RegexOptions } from './regex/index.js';
export { GrammarWalk, tooSlow, type WalkState } from './run/index.js';
export {
  STRICT_ADVICE,
  readAnyJson,
  readJsonElements,
  readJsonSchema,
  type AnyJsonOptions,
  type ElementForm,
  type JsonSchemaGrammar,
  type JsonSchemaGrammarOptions,
} from './schema/index.js';
export { textTokens, type TokenBytes } from './text-tokens.js';
export { type TokenMask } from './token-mask.js';
