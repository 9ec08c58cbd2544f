/** JSON Schema as grammars. */

export { STRICT_ADVICE } from './document/unsupported.js';
export { readAnyJson, type AnyJsonOptions } from './any-json.js';
export { enforcedFormats } from './formats/index.js';
export type { ElementForm } from './emit/elements.js';
export {
  readJsonElements,
  readJsonSchema,
  type JsonSchemaGrammar,
  type JsonSchemaGrammarOptions,
} from './read-json-schema.js';
