/** The keywords of JSON Schema that are read here. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly anyOf?: readonly object[];
}

/** Texts that clients write for booleans: JSON's words, and Python's. */
const WORDS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
]);

/**
 * Replaces texts like `"strict": "true"` by booleans, where `schema` has a boolean and no text. Fields of the body
 * itself stay: `stream` and others decide what a client reads. Changes nothing in place.
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
  // Copies an object only where something changed: long conversations are not copied.
  const changed = Object.entries(properties).flatMap(([name, inside]) => {
    if (!Object.hasOwn(value, name)) return [];
    const field: unknown = Reflect.get(value, name);
    const read = readTextBooleans(inside, field);
    return read === field ? [] : [[name, read] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

/** Reads a boolean, or a text that names one, in a template's variables; undefined: neither. */
export function toBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : WORDS.get(value);
}
