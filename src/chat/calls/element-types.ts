/** What a text may be read as besides a string: `quoted` is a string in its quotes. */
export type ElementType = 'null' | 'boolean' | 'number' | 'object' | 'array' | 'quoted';

const ALL: readonly ElementType[] = ['null', 'boolean', 'number', 'object', 'array', 'quoted'];
/** Places of one schema that are looked at, for all its properties together: some milliseconds. */
const MAX_PLACES = 20_000;
/** A reference of so many characters costs what a place does. */
const CHARACTERS_OF_PLACE = 16;
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

/** Walks a schema by what a value is held to, each place once a question; past its limit nothing more is found. */
class Search {
  readonly #root: unknown;
  #left = MAX_PLACES;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** The schemas that the value of the root is held to, all or some of them. */
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

  /** `enter` says whether to go on with what the schema is composed of. */
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

  /** The schemas that a value holds with this one, all or some of them. */
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
