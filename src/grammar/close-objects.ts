import { mapInOrder } from '../base/index.js';

/**
 * Keywords under which closing could refuse or accept values that the open schema does not: a schema with one of them
 * stays open.
 */
const COMPOSING: readonly string[] = [
  'allOf',
  'not',
  'if',
  'dependentSchemas',
  'unevaluatedProperties',
  'minProperties',
];
/** Keywords with one schema, with a list of schemas, and with schemas by name. */
const OF_ONE: readonly string[] = ['items', 'additionalProperties', 'contains'];
const OF_LIST: readonly string[] = ['items', 'prefixItems', 'anyOf', 'oneOf'];
const BY_NAME: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions'];

type Node = Readonly<Record<string, unknown>>;

/**
 * A schema whose objects allow only named properties, where `schema` leaves that open: its values are valid for
 * `schema` too. A model in an open object adds names of its own, and the type of a schema library has no fields for
 * them.
 */
export function closeObjects(schema: object): object {
  const walked = walk(schema);
  return walked.isComposed ? schema : (walked.schema as object);
}

/** A schema that is closed, and whether it or one within it is composed of others. */
interface Walked {
  readonly schema: unknown;
  readonly isComposed: boolean;
}

function walk(schema: unknown): Walked {
  if (!isNode(schema)) return { schema, isComposed: false };
  let isComposed = COMPOSING.some((keyword) => Object.hasOwn(schema, keyword));
  const closed = (inner: unknown): unknown => {
    const walked = walk(inner);
    isComposed ||= walked.isComposed;
    return walked.schema;
  };
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (OF_LIST.includes(keyword) && Array.isArray(value)) return [keyword, value.map(closed)];
    if (OF_ONE.includes(keyword)) return [keyword, closed(value)];
    if (!BY_NAME.includes(keyword) || !isNode(value)) return [keyword, value];
    return [keyword, mapInOrder(value, closed)];
  });
  const isOpen =
    schema['type'] === 'object' &&
    isNode(schema['properties']) &&
    !Object.hasOwn(schema, 'additionalProperties') &&
    !Object.hasOwn(schema, 'patternProperties');
  return { schema: Object.fromEntries(isOpen ? [...entries, ['additionalProperties', false]] : entries), isComposed };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
