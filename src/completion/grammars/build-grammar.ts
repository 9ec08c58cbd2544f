import { AppError, isAppError } from '../../base/index.js';
import {
  GrammarBuilder,
  readGbnf,
  readAnyJson,
  readJsonElements,
  readJsonSchema,
  readRegex,
  textExpression,
  type ElementForm,
  type Expression,
  type Grammar,
} from '../../grammar/index.js';
import { elementTypes, type ElementNotation } from '../../chat/index.js';
import type { AnswerFormat } from '../request.js';
import { callsExpression } from './calls-expression.js';
import type { CallableTool, GrammarRequest } from './grammar-request.js';

/** A grammar, and the keywords of schemas that it does not enforce, each with its path. */
export interface BuiltGrammar {
  readonly grammar: Grammar;
  readonly unenforced: readonly string[];
}

/**
 * The grammar of the answers to a request. `isLoose`: schemas of tools that are not strict are not enforced. Errors:
 * `unsupported_schema`, `unsatisfiable_schema` and the others of schemas, expressions and grammars, with the request's
 * field as `param`.
 */
export function buildGrammar({ format, calls }: GrammarRequest, isLoose = false): BuiltGrammar {
  const builder = new GrammarBuilder();
  const unenforced: string[] = [];
  const options: Expression[] = [];
  if (format !== undefined) {
    options.push(named(format.field, () => addFormat(builder, format.format, unenforced)));
  }
  if (calls !== undefined) {
    const { elements } = calls.notation;
    let open: Expression | undefined;
    const addOpen = (): Expression => (open ??= builder.add(openArguments(elements)));
    const toArguments = (tool: CallableTool): Expression =>
      named(tool.field, () => addArguments(builder, tool, { elements, addOpen, unenforced, isLoose }));
    options.push(callsExpression(calls, toArguments, format !== undefined));
  }
  return { grammar: builder.build({ kind: 'choice', options }), unenforced };
}

function addFormat(builder: GrammarBuilder, format: AnswerFormat, unenforced: string[]): Expression {
  switch (format.kind) {
    case 'json':
      return builder.add(readAnyJson({ root: 'object' }));
    case 'jsonSchema': {
      const read = readJsonSchema(format.schema, { strict: format.isStrict });
      unenforced.push(...read.unenforced);
      return builder.add(read.grammar);
    }
    case 'regex':
      return { kind: 'regular', dfa: readRegex(format.pattern, { anchored: true }) };
    case 'choice':
      return { kind: 'choice', options: format.options.map(textExpression) };
    case 'gbnf':
      return builder.add(readGbnf(format.text));
  }
}

/** Brackets around the arguments of a call in most notations: a list of calls, and the object of one. */
const CALL_LEVELS = 2;

/** The common form of all tools' arguments. */
interface ArgumentsForm {
  readonly elements: ElementNotation | undefined;
  /** Arguments without a schema. */
  readonly addOpen: () => Expression;
  readonly unenforced: string[];
  readonly isLoose: boolean;
}

/** A schema that is not strict may have unsupported parts, which are then left open. */
function addArguments(builder: GrammarBuilder, tool: CallableTool, form: ArgumentsForm): Expression {
  const { schema, isStrict, field } = tool;
  const { elements, addOpen, unenforced, isLoose } = form;
  if (isLoose && !isStrict) {
    unenforced.push(field);
    return addOpen();
  }
  try {
    const { grammar, unenforced: places } =
      elements === undefined
        ? readJsonSchema(asObject(schema), { strict: isStrict, outerLevels: CALL_LEVELS })
        : readJsonElements(asObject(schema), toElementForm(elements, schema), { strict: isStrict });
    unenforced.push(...places.map((place) => `${field}${place}`));
    return builder.add(grammar);
  } catch (error) {
    if (isStrict || !isAppError(error)) throw error;
    unenforced.push(field);
    return addOpen();
  }
}

/** Any arguments. */
function openArguments(elements: ElementNotation | undefined): Grammar {
  return elements === undefined
    ? readAnyJson({ root: 'object', outerLevels: CALL_LEVELS })
    : readJsonElements({ type: 'object' }, toElementForm(elements, undefined)).grammar;
}

/** The reader types elements by the tool's schema, as the tool declares it. */
function toElementForm({ untyped, ...form }: ElementNotation, schema: unknown): ElementForm {
  const { names, typesOf } = elementTypes(schema, untyped);
  return { ...form, names, typesOf };
}

/** Arguments are an object, whether a schema says so or not. */
function asObject(schema: CallableTool['schema']): CallableTool['schema'] {
  return 'type' in schema || '$ref' in schema ? schema : { ...schema, type: 'object' };
}

/** Runs `read`; its errors name the request's field. */
function named<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError(error.code, `${field}: ${error.message}`, { ...error.details, param: field });
  }
}
