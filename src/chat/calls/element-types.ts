/** What a text may be read as besides a string: `quoted` is a string in its quotes. */
export type ElementType = 'null' | 'boolean' | 'number' | 'object' | 'array' | 'quoted';

const ALL: readonly ElementType[] = ['null', 'boolean', 'number', 'object', 'array', 'quoted'];
/** References and compositions that are followed, so that schemas that lead to themselves end. */
const MAX_DEPTH = 16;
/** Keywords with lists of schemas. */
const LISTS: readonly string[] = ['anyOf', 'oneOf', 'allOf'];
/** Keywords with one schema of the same value. */
const BRANCHES: readonly string[] = ['then', 'else'];

type Schema = Readonly<Record<string, unknown>>;

/** What texts of arguments are read as. */
export interface ElementTypes {
  /** The properties that the schema has types for. All others are read alike. */
  readonly names: readonly string[];
  /** What the text of a property is read as, if not as a string. */
  readonly typesOf: (name: string) => ReadonlySet<ElementType>;
}

/**
 * What the text of each argument is read as: the types besides strings that the tool's JSON Schema `parameters` has for it. A
 * text that is none of these is a string. `untyped`: where the schema has nothing of the name, or no type for it. It needs
 * not be exact: a grammar holds texts to what is read here.
 */
export function elementTypes(parameters: unknown, untyped: 'text' | 'json'): ElementTypes {
  const unknown = untyped === 'text' ? [] : ALL;
  const objects = objectsOf(parameters, parameters, 0);
  const toTypes = (schemas: readonly unknown[]): ReadonlySet<ElementType> => {
    const types = schemas.map((schema) => typesOf(schema, parameters, 0));
    return new Set(types.length === 0 ? unknown : types.flatMap((each) => each ?? unknown));
  };
  const byName = new Map<string, unknown[]>();
  for (const { properties } of objects) {
    for (const [name, schema] of isSchema(properties) ? Object.entries(properties) : []) {
      byName.set(name, [...(byName.get(name) ?? []), schema]);
    }
  }
  const known = new Map(Array.from(byName, ([name, schemas]) => [name, toTypes(schemas)]));
  const others = toTypes(objects.flatMap(({ additionalProperties: more }) => (isSchema(more) ? [more] : [])));
  return { names: [...known.keys()], typesOf: (name) => known.get(name) ?? others };
}

/** The schemas that an object is held to: of a tool's arguments, and what it is composed of. */
function objectsOf(schema: unknown, root: unknown, depth: number): Schema[] {
  if (!isSchema(schema) || depth > MAX_DEPTH) return [];
  return [schema, ...innerOf(schema, root).flatMap((each) => objectsOf(each, root, depth + 1))];
}

/** Undefined where the schema has no type. */
function typesOf(schema: unknown, root: unknown, depth: number): readonly ElementType[] | undefined {
  if (!isSchema(schema) || depth > MAX_DEPTH) return undefined;
  const { type } = schema;
  if (type !== undefined) return [type].flat().flatMap((name) => TYPES.get(name) ?? []);
  if (Array.isArray(schema['enum'])) return schema['enum'].flatMap(typeOf);
  if (Object.hasOwn(schema, 'const')) return typeOf(schema['const']);
  const known = innerOf(schema, root).flatMap((each) => {
    const types = typesOf(each, root, depth + 1);
    return types === undefined ? [] : [types];
  });
  return known.length === 0 ? undefined : known.flat();
}

/** The schemas that a value holds with this one, all or some of them. */
function innerOf(schema: Schema, root: unknown): unknown[] {
  const lists = LISTS.flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? (list as unknown[]) : [];
  });
  const branches = BRANCHES.flatMap((keyword) => (Object.hasOwn(schema, keyword) ? [schema[keyword]] : []));
  const { $ref: reference } = schema;
  return [...lists, ...branches, ...(typeof reference === 'string' ? [resolve(root, reference)] : [])];
}

/** What a pointer within the document leads to (RFC 6901); other references are not followed. */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return reference === '#' ? root : undefined;
  return reference
    .slice(2)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((place, token) => (isNode(place) && Object.hasOwn(place, token) ? place[token] : undefined), root);
}

const TYPES = new Map<unknown, readonly ElementType[]>([
  ['null', ['null']],
  ['boolean', ['boolean']],
  ['number', ['number']],
  ['integer', ['number']],
  ['object', ['object']],
  ['array', ['array']],
]);

function typeOf(value: unknown): readonly ElementType[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return TYPES.get(typeof value) ?? [];
}

function isSchema(value: unknown): value is Schema {
  return isNode(value) && !Array.isArray(value);
}

function isNode(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
