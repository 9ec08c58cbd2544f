/** Types of a text besides a plain string: `quoted` is a string in its quotes. */
export type ElementType = 'null' | 'boolean' | 'number' | 'object' | 'array' | 'quoted';

const ALL: readonly ElementType[] = ['null', 'boolean', 'number', 'object', 'array', 'quoted'];
/** Limit of schema nodes that one search visits, for all properties together: some milliseconds. */
const MAX_PLACES = 20_000;
/** A reference of so many characters costs as much as a node. */
const CHARACTERS_OF_PLACE = 16;
/** Keywords with lists of schemas. */
const LISTS: readonly string[] = ['anyOf', 'oneOf', 'allOf'];
/** Keywords with one schema of the same value. */
const BRANCHES: readonly string[] = ['then', 'else'];

type Schema = Readonly<Record<string, unknown>>;

/** The types of arguments' texts. */
export interface ElementTypes {
  /** The properties with types in the schema. All others are read alike. */
  readonly names: readonly string[];
  /** The types of a property's text besides string. */
  readonly typesOf: (name: string) => ReadonlySet<ElementType>;
}

/**
 * The types of each argument's text: the types besides string in the tool's JSON Schema `parameters`. A text of none of
 * these types is a string. `untyped`: for names without a type in the schema. It need not be exact: a grammar
 * constrains the texts to this reading.
 */
export function elementTypes(parameters: unknown, untyped: 'text' | 'json'): ElementTypes {
  const unknown = untyped === 'text' ? [] : ALL;
  const search = new Search(parameters);
  const objects = search.objects();
  const toTypes = (schemas: readonly unknown[]): ReadonlySet<ElementType> => {
    const types = schemas.map((schema) => search.typesOf(schema));
    return new Set(types.length === 0 ? unknown : types.flatMap((each) => each ?? unknown));
  };
  const byName = new Map<string, unknown[]>();
  for (const { properties } of objects) {
    for (const [name, schema] of isSchema(properties) ? Object.entries(properties) : []) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [schema]);
      else known.push(schema);
    }
  }
  const known = new Map(Array.from(byName, ([name, schemas]) => [name, toTypes(schemas)]));
  const others = toTypes(objects.flatMap(({ additionalProperties: more }) => (isSchema(more) ? [more] : [])));
  return { names: [...known.keys()], typesOf: (name) => known.get(name) ?? others };
}

/** Walks a schema through the schemas that apply to a value, each node once a question. Stops at its limit. */
class Search {
  readonly #root: unknown;
  #left = MAX_PLACES;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** The schemas that apply to the root's value, all or some of them. */
  objects(): Schema[] {
    const found: Schema[] = [];
    this.#visit(this.#root, (schema) => {
      found.push(schema);
      return true;
    });
    return found;
  }

  /** The types of a schema besides strings; undefined where it has no type. */
  typesOf(schema: unknown): readonly ElementType[] | undefined {
    let types: readonly ElementType[] | undefined;
    this.#visit(schema, (place) => {
      const own = ownTypes(place);
      if (own !== undefined) types = [...(types ?? []), ...own];
      return own === undefined;
    });
    return types && [...new Set(types)];
  }

  /** `enter` decides whether to visit the parts of a composed schema. */
  #visit(start: unknown, enter: (schema: Schema) => boolean): void {
    const queue = [start];
    const seen = new Set<unknown>();
    for (const schema of queue) {
      if (!isSchema(schema) || seen.has(schema) || this.#left <= 0) continue;
      seen.add(schema);
      this.#left--;
      if (enter(schema)) for (const inner of this.#innerOf(schema)) queue.push(inner);
    }
  }

  /** The schemas that apply to the same value as this one, all or some of them. */
  *#innerOf(schema: Schema): Iterable<unknown> {
    for (const keyword of LISTS) {
      const list = schema[keyword];
      if (Array.isArray(list)) yield* list as unknown[];
    }
    for (const keyword of BRANCHES) if (Object.hasOwn(schema, keyword)) yield schema[keyword];
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') return;
    this.#left -= reference.length / CHARACTERS_OF_PLACE;
    if (this.#left > 0) yield resolve(this.#root, reference);
  }
}

/** The types that a schema names itself. */
function ownTypes(schema: Schema): readonly ElementType[] | undefined {
  const { type } = schema;
  if (type !== undefined) return [type].flat().flatMap((name) => TYPES.get(name) ?? []);
  if (Array.isArray(schema['enum'])) return schema['enum'].flatMap(typeOf);
  return Object.hasOwn(schema, 'const') ? typeOf(schema['const']) : undefined;
}

/** The target of a pointer within the document (RFC 6901); other references are not followed. */
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
