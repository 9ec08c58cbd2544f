import { AppError, describe } from '../../base/index.js';
import type { Grammar } from '../grammar.js';
import { createBudget } from '../regular/index.js';
import { checkSize } from './document/size.js';
import { openDocument } from './document/document.js';
import { isObject } from './document/unsupported.js';
import { createBuilder } from './emit/builder.js';
import { createEmitter } from './emit/create-emitter.js';
import { prune } from './emit/prune.js';
import { DEFAULT_INDENT } from './emit/whitespace.js';
import { createReader } from './expand/expand.js';
import type { Mode } from './expand/reader.js';
import { only, TRUE } from './shape/formula.js';

/** How a schema is made into a grammar. */
export interface JsonSchemaOptions {
  /** What cannot be enforced is refused; false: left out and named. True when left out. */
  readonly strict?: boolean;
  /** Properties of objects with few of them may come in any order, and not only in that of the schema. */
  readonly anyOrder?: boolean;
  /** Whitespace between the parts of a text: as programs print it, or none. `printed` when left out. */
  readonly whitespace?: 'printed' | 'none';
  /** Spaces at the beginning of a line, at most. 64 when left out; 0: no line breaks. */
  readonly maxIndent?: number;
}

/** The grammar of the JSON texts whose value is valid. */
export interface JsonSchemaGrammar {
  readonly grammar: Grammar;
  /** JSON pointers of the keywords that it does not enforce. */
  readonly unenforced: readonly string[];
}

/**
 * Reads a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12 (json-schema.org) as a grammar. A keyword is enforced, or refused
 * by name; with `strict: false` left out and named. Annotations, such as formats that are not in the registry, are named.
 * Errors: `unsupported_schema`, `unsatisfiable_schema`, `grammar_too_large`.
 */
export function readJsonSchema(schema: unknown, options: JsonSchemaOptions = {}): JsonSchemaGrammar {
  const budget = createBudget();
  if (typeof schema !== 'boolean' && !isObject(schema)) {
    const found = describe(schema, true);
    throw new AppError('unsupported_schema', `the JSON Schema is ${found}; it must be an object, true or false`);
  }
  checkSize(schema);
  const mode: Mode = { isStrict: options.strict ?? true, isSeen: false };
  const document = openDocument(schema, budget);
  const reader = createReader(document, budget);
  const builder = createBuilder(budget);
  const emitter = createEmitter({
    reader,
    builder,
    mode,
    whitespace: { maxIndent: options.maxIndent ?? DEFAULT_INDENT, isCompact: options.whitespace === 'none' },
    isAnyOrder: options.anyOrder ?? false,
  });
  const start = emitter.value(schema === true ? TRUE : only(reader.nodes.ofPlace(document.root)));
  builder.finish();
  const grammar = prune(builder.toGrammar(start), budget);
  if (grammar === undefined) {
    throw new AppError(
      'unsatisfiable_schema',
      'no JSON value is valid for the JSON Schema; look for what it demands twice',
    );
  }
  return { grammar, unenforced: [...reader.unenforced] };
}
