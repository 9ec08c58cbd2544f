/** What is read of a schema: JSON Schema's own keywords. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly anyOf?: readonly object[];
}

/** How clients write a boolean as text: JSON's words, and Python's. */
const WORDS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
]);

/**
 * The fields of a request in which a text is the boolean that it names, where `schema` has a boolean and no text:
 * `"strict": "true"`. Fields of the body itself stay: `stream` and its like decide what a client reads. Nothing is changed
 * in place.
 */
export function readInnerBooleans(
  schema: object,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { properties = {} } = schema as Shape;
  const inner = Object.entries(fields).filter(([, field]) => typeof field === 'object');
  const read = inner.map(([name, field]) => {
    const inside = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, inside === undefined ? field : readTextBooleans(inside, field)] as const;
  });
  return { ...fields, ...Object.fromEntries(read) };
}

function readTextBooleans(schema: object, value: unknown): unknown {
  const branches: Shape[] = [schema, ...((schema as Shape).anyOf ?? [])];
  if (typeof value === 'string') {
    const isBoolean =
      branches.some(({ type }) => type === 'boolean') && !branches.some(({ type }) => type === 'string');
    return (isBoolean ? WORDS.get(value) : undefined) ?? value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = branches.find((branch) => branch.items !== undefined && !Array.isArray(branch.items))?.items;
    return items === undefined ? value : value.map((item) => readTextBooleans(items, item));
  }
  const properties = branches.find((branch) => branch.properties !== undefined)?.properties;
  if (properties === undefined) return value;
  // Another object only where something changed: long conversations are not copied.
  const changed = Object.entries(properties).flatMap(([name, inside]) => {
    if (!Object.hasOwn(value, name)) return [];
    const field: unknown = Reflect.get(value, name);
    const read = readTextBooleans(inside, field);
    return read === field ? [] : [[name, read] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

/** The boolean that a value is or names, in its place in a template's variables; undefined: none. */
export function toBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : WORDS.get(value);
}
