import { isAppError } from '../../../base/index.js';
import type { Automaton, WorkBudget } from '../../regular/index.js';
import type { SchemaDocument } from '../document/document.js';
import { childPointer, unsupportedKeyword, type Keyword } from '../document/unsupported.js';
import type { Formula, SchemaNode, SchemaPart } from '../shape/formula.js';
import type { Shape, ShapeContext } from '../shape/shape.js';

/** How a schema is made into a shape. */
export interface Mode {
  /** Unsupported keywords are refused; otherwise left out and reported. */
  readonly isStrict: boolean;
  /** Which properties and items were looked at matters to a keyword outside. */
  readonly isSeen: boolean;
}

/** State of reading a document. */
export interface Reader extends ShapeContext {
  readonly budget: WorkBudget;
  readonly document: SchemaDocument;
  /** Pointers of keywords that are not enforced. */
  readonly unenforced: Set<string>;
  /** Automata of patterns and formats. */
  readonly languages: Map<string, Automaton>;
  readonly nodes: NodeTable;
  /** The values that hold a formula. Errors: `unsupported_schema`, `grammar_too_large`. */
  readonly shapeOf: (formula: Formula, mode: Mode) => Shape;
  /** The values that hold the schema at a place. */
  readonly shapeOfPlace: (place: SchemaPart, mode: Mode) => Shape;
}

/** Nodes, each made once. */
export interface NodeTable {
  readonly ofPlace: (place: SchemaPart) => SchemaNode;
  readonly ofValue: (value: unknown, pointer: string) => SchemaNode;
  readonly ofFormula: (formula: Formula) => SchemaNode;
}

/** A table without nodes. */
export function createNodeTable(): NodeTable {
  const byPlace = new Map<unknown, Map<string, SchemaNode>>();
  const byValue = new Map<string, SchemaNode>();
  const byFormula = new Map<string, SchemaNode>();
  let numNodes = 0;
  const once = <Key>(table: Map<Key, SchemaNode>, key: Key, source: SchemaNode['source']): SchemaNode => {
    const found = table.get(key) ?? { id: ++numNodes, source };
    table.set(key, found);
    return found;
  };
  return {
    ofPlace(place) {
      const scope = `${place.resource.id}:${place.scope.map(({ id }) => id).join()}`;
      const known = byPlace.get(place.schema) ?? new Map<string, SchemaNode>();
      byPlace.set(place.schema, known);
      return once(known, scope, { kind: 'schema', place });
    },
    ofValue: (value, pointer) => once(byValue, JSON.stringify(value), { kind: 'value', value, pointer }),
    ofFormula: (formula) => once(byFormula, formula.key, { kind: 'formula', formula }),
  };
}

/** The result of `read`. Where it cannot be enforced and need not be: that of `otherwise`, and the keyword is reported. */
export function enforce(
  reader: Reader,
  mode: Mode,
  { pointer, keyword }: Keyword,
  read: () => Shape,
  otherwise: () => Shape,
): Shape {
  if (mode.isStrict) return read();
  try {
    return read();
  } catch (error) {
    if (!isAppError(error) || error.code !== 'unsupported_schema') throw error;
    recordUnenforced(reader, pointer, keyword);
    return otherwise();
  }
}

/** Pointers that one answer names. */
const MAX_UNENFORCED = 100;

/** Names a keyword that is not enforced. */
export function recordUnenforced({ unenforced }: Reader, pointer: string, keyword: string): void {
  if (unenforced.size < MAX_UNENFORCED) unenforced.add(childPointer(pointer, keyword));
}

/** A whole number from 0; undefined where the keyword is not there. Errors: `unsupported_schema`. */
export function countOf(
  schema: Readonly<Record<string, unknown>>,
  pointer: string,
  keyword: string,
): number | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw unsupportedKeyword({ pointer, keyword, reason: 'it must be a whole number from 0' });
}

/** A list of texts; undefined where the keyword is not there. Errors: `unsupported_schema`. */
export function textsOf(value: unknown, pointer: string, keyword: string): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string' && each.isWellFormed())) return value;
  throw unsupportedKeyword({ pointer, keyword, reason: 'it must be a list of strings' });
}
