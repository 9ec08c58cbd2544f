import { isJsonObject } from '../../../base/index.js';
import { automatonTooLarge, type WorkBudget } from '../../regular/index.js';
import { ignoresBesideRef } from '../document/draft.js';
import type { SchemaDocument } from '../document/document.js';
import { unsupportedKeyword } from '../document/unsupported.js';
import {
  both,
  FALSE,
  only,
  TRUE,
  type Formula,
  type Literal,
  type SchemaNode,
  type SchemaPart,
} from '../shape/formula.js';
import { ANYTHING, isNothing, meet, NOTHING, type Shape } from '../shape/shape.js';
import { recordUnknown } from './annotations.js';
import { readAlternatives, not, readConditional, readDependencies, readNot } from './applicators.js';
import { createNodeTable, enforce, type Mode, type Reader } from './reader.js';
import { readValues } from './scalars.js';
import { readTypes } from './typed-keywords.js';
import { asksForSeen, readUnevaluated } from './unevaluated.js';
import { resolve, type ReferenceKeyword } from '../document/references.js';

const KEYWORDS: readonly ReferenceKeyword[] = ['$ref', '$dynamicRef', '$recursiveRef'];

/** The shape after the references of a schema. Errors: `unsupported_schema`. */
function readReference(
  reader: Reader,
  schema: Readonly<Record<string, unknown>>,
  place: SchemaPart,
  mode: Mode,
  before: Shape,
): Shape {
  return KEYWORDS.filter((keyword) => schema[keyword] !== undefined).reduce<Shape>((shape, keyword) => {
    const read = (): Shape => {
      const target = resolve(reader.document, place, keyword, schema[keyword]);
      return meet(shape, reader.shapeOfPlace(target, mode), reader);
    };
    return enforce(reader, mode, { pointer: place.pointer, keyword }, read, () => shape);
  }, before);
}

/** References and applicators within one another: each is some calls on the stack. */
const MAX_EXPANSIONS = 256;

/** Reads the schemas of a document into shapes, each once. */
export function createReader(document: SchemaDocument, budget: WorkBudget): Reader {
  const shapes = new Map<string, Shape>();
  const open = new Map<string, SchemaPart>();
  const nodes = createNodeTable();
  const remember = (key: string, make: () => Shape): Shape => {
    const found = shapes.get(key) ?? make();
    shapes.set(key, found);
    return found;
  };
  const shapeOfNode = ({ id, source }: SchemaNode, mode: Mode): Shape =>
    remember(`${id}${mode.isStrict ? 's' : ''}${mode.isSeen ? 'e' : ''}`, () => {
      if (source.kind === 'value') return readValues(reader, [source.value], source.pointer, 'const');
      if (source.kind === 'formula') return reader.shapeOf(source.formula, mode);
      return openSchema(source.place, mode, String(id));
    });
  const openSchema = (place: SchemaPart, mode: Mode, key: string): Shape => {
    if (open.has(key)) throw unsupportedKeyword({ ...referenceIn([...open.values()], place), reason: LOOP });
    if (open.size >= MAX_EXPANSIONS)
      throw automatonTooLarge('references and applicators within one another', MAX_EXPANSIONS);
    open.set(key, place);
    try {
      return readSchema(reader, place, mode);
    } finally {
      open.delete(key);
    }
  };
  const shapeOfLiteral = ({ node, isNegated }: Literal, mode: Mode): Shape => {
    if (!isNegated) return shapeOfNode(node, mode);
    const pointer = pointerOf(node);
    const read = (): Shape =>
      not(reader, shapeOfNode(node, { isStrict: true, isSeen: false }), { pointer, keyword: 'not' });
    return enforce(reader, mode, { pointer, keyword: 'not' }, read, () => ANYTHING);
  };
  const reader: Reader = {
    budget,
    document,
    unenforced: new Set(),
    languages: new Map(),
    nodes,
    negate: (formula) => negate(formula, reader),
    shapeOf(formula, mode) {
      if (formula === FALSE) return NOTHING;
      const key = `${formula.key}:${mode.isStrict ? 's' : ''}${mode.isSeen ? 'e' : ''}`;
      return remember(key, () =>
        formula.literals.reduce((all, literal) => meet(all, shapeOfLiteral(literal, mode), reader), ANYTHING),
      );
    },
    shapeOfPlace: (place, mode) => shapeOfNode(nodes.ofPlace(place), mode),
  };
  return reader;
}

/** Why a reference that leads to itself is refused. */
export const LOOP = 'it leads back to itself without a property or an item between';

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** The reference that closed a loop: the innermost one among the open schemas. Without one, the schema that was entered twice. */
function referenceIn(
  open: readonly SchemaPart[],
  again: SchemaPart,
): { readonly pointer: string; readonly keyword: string } {
  for (const { schema, pointer } of open.toReversed()) {
    const keyword = isJsonObject(schema) ? REFERENCES.find((name) => typeof schema[name] === 'string') : undefined;
    if (keyword !== undefined) return { pointer, keyword };
  }
  return { pointer: again.pointer, keyword: '$ref' };
}

function pointerOf({ source }: SchemaNode): string {
  if (source.kind === 'schema') return source.place.pointer;
  if (source.kind === 'value') return source.pointer;
  const [first] = source.formula.literals;
  return first === undefined ? '' : pointerOf(first.node);
}

function negate(formula: Formula, { nodes }: Reader): Formula {
  if (formula === TRUE) return FALSE;
  if (formula === FALSE) return TRUE;
  const [first] = formula.literals;
  if (formula.literals.length > 1 || first === undefined) return only(nodes.ofFormula(formula), true);
  return both(only(first.node, !first.isNegated));
}

/** The values that hold a schema. Errors: `unsupported_schema`, `grammar_too_large`. */
function readSchema(reader: Reader, place: SchemaPart, mode: Mode): Shape {
  const { schema, pointer } = place;
  if (schema === true) return ANYTHING;
  if (schema === false) return NOTHING;
  if (!isJsonObject(schema)) {
    const tokens = pointer.split('/');
    const keyword = tokens.pop() ?? '';
    throw unsupportedKeyword({ pointer: tokens.join('/'), keyword, reason: 'a schema is an object, true or false' });
  }
  reader.budget.spend(150);
  recordUnknown(reader, schema, pointer);
  const hasOnlyRef = typeof schema['$ref'] === 'string' && ignoresBesideRef(reader.document.draft);
  const inner: Mode = { ...mode, isSeen: mode.isSeen || asksForSeen(schema) };
  // The most restrictive keywords come first, so that excluded parts are not computed.
  return (hasOnlyRef ? [readReference] : READINGS).reduce(
    (shape, read) => (isNothing(shape) ? shape : read(reader, schema, place, inner, shape)),
    ANYTHING,
  );
}

/** One group of keywords: the shape that it leaves of the shape before it. */
type Reading = (
  reader: Reader,
  schema: Readonly<Record<string, unknown>>,
  place: SchemaPart,
  mode: Mode,
  before: Shape,
) => Shape;

const READINGS: readonly Reading[] = [
  readTypes,
  readEnumAndConst,
  readReference,
  readAlternatives,
  readDependencies,
  readConditional,
  readNot,
  readUnevaluated,
];

function readEnumAndConst(
  reader: Reader,
  schema: Readonly<Record<string, unknown>>,
  { pointer }: SchemaPart,
  _mode: Mode,
  before: Shape,
): Shape {
  const values = schema['enum'];
  if (values !== undefined && !Array.isArray(values)) {
    throw unsupportedKeyword({ pointer, keyword: 'enum', reason: 'it must be a list of values' });
  }
  reader.budget.spend(values?.length ?? 0);
  const listed = values === undefined ? before : meet(before, readValues(reader, values, pointer, 'enum'), reader);
  return 'const' in schema ? meet(listed, readValues(reader, [schema['const']], pointer, 'const'), reader) : listed;
}
