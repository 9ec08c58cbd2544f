import { AppError, describe, isJsonObject } from '../../base/index.js';
import type { Expression, Grammar } from '../grammar.js';
import { createBudget } from '../regular/index.js';
import { checkSize } from './document/size.js';
import { openDocument } from './document/document.js';
import { unsupportedKeyword } from './document/unsupported.js';
import { avoidText } from './emit/avoided-text.js';
import { createBuilder } from './emit/builder.js';
import { createEmitter } from './emit/create-emitter.js';
import { emitElements, type ElementForm } from './emit/elements.js';
import type { Emitter } from './emit/emitter.js';
import { prune } from './emit/prune.js';
import { DEFAULT_INDENT } from './emit/whitespace.js';
import { createReader } from './expand/expand.js';
import type { Reader } from './expand/reader.js';
import { only, TRUE, type Formula } from './shape/formula.js';

/** How a schema is made into a grammar. */
export interface JsonSchemaGrammarOptions {
  /** Unsupported keywords are refused; false: left out and reported. Default true. */
  readonly strict?: boolean;
  /** Properties of objects with few of them may come in any order, and not only in that of the schema. */
  readonly anyOrder?: boolean;
  /** Whitespace between the parts of a text: as programs print it, or none. `printed` when left out. */
  readonly whitespace?: 'printed' | 'none';
  /** Spaces at the beginning of a line, at most. 64 when left out; 0: no line breaks. */
  readonly maxIndent?: number;
  /** Brackets around the text, whose lines are indented by as many levels more. 0 when left out. */
  readonly outerLevels?: number;
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
export function readJsonSchema(schema: unknown, options: JsonSchemaGrammarOptions = {}): JsonSchemaGrammar {
  const read = openSchema(schema, options);
  return finish(read, read.emitter.value(read.formula)) ?? unsatisfiable();
}

/**
 * Reads the schema of an object as `readJsonSchema` does, for texts in which its properties are elements in a row: their
 * values are JSON, or strings without quotes. Errors: the same; `unsupported_schema` also where no valid object can be
 * written so.
 */
export function readJsonElements(
  schema: unknown,
  form: ElementForm,
  options: Pick<JsonSchemaGrammarOptions, 'strict'> = {},
): JsonSchemaGrammar {
  const read = openSchema(schema, options, form.closingTag);
  const grammar = finish(read, emitElements(read.emitter, read.formula, form));
  if (grammar !== undefined) return grammar;
  readJsonSchema(schema, options);
  const reason = `this model writes arguments as elements of XML, and no valid ones can be: no value has ${form.closingTag} in it`;
  throw unsupportedKeyword({ pointer: '', keyword: 'properties', reason });
}

/** A schema that is being made into a grammar. */
interface OpenSchema {
  readonly reader: Reader;
  readonly emitter: Emitter;
  /** The formula of the schema. */
  readonly formula: Formula;
}

/** `avoided`: a text that no value may contain. */
function openSchema(schema: unknown, options: JsonSchemaGrammarOptions, avoided?: string): OpenSchema {
  const budget = createBudget();
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
    const found = describe(schema, true);
    throw new AppError('unsupported_schema', `the JSON Schema is ${found}; it must be an object, true or false`);
  }
  checkSize(schema);
  const document = openDocument(schema, budget);
  const reader = createReader(document, budget);
  const emitter = createEmitter({
    reader,
    builder: createBuilder(budget),
    mode: { isStrict: options.strict ?? true, isSeen: false },
    whitespace: {
      maxIndent: options.maxIndent ?? DEFAULT_INDENT,
      isCompact: options.whitespace === 'none',
      outerLevels: options.outerLevels ?? 0,
    },
    isAnyOrder: options.anyOrder ?? false,
    avoided: avoided === undefined ? undefined : avoidText(avoided, budget),
  });
  return { reader, emitter, formula: schema === true ? TRUE : only(reader.nodes.ofPlace(document.root)) };
}

/** Undefined where there is no text. */
function finish({ reader, emitter }: OpenSchema, start: Expression): JsonSchemaGrammar | undefined {
  const { builder } = emitter;
  builder.finish();
  const grammar = prune(builder.toGrammar(start), builder.budget);
  return grammar === undefined ? undefined : { grammar, unenforced: [...reader.unenforced] };
}

function unsatisfiable(): never {
  throw new AppError(
    'unsatisfiable_schema',
    'no JSON value is valid for the JSON Schema; look for demands that contradict each other',
  );
}
