// Checks a YAML document against a schema: values with defaults filled in, the position of each, and every mistake.
// TypeBox's own validator decides whether a value fits; this reader says where it does not, why, and what to do. A test
// compares their verdicts.
import { isAlias, isMap, isScalar, isSeq, type Document, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { present, suggestion } from '../../base/index.js';
import type { FieldSchema } from '../schema/field-schema.js';
import { toWords } from '../schema/words.js';
import { describeValue, integerHint, quoteName, textHint } from './hints.js';
import type { TextPosition, Problem } from './problems.js';
import type { TextChecks } from './text-checks.js';

/** The state of walking through a document. */
export interface FieldReading {
  readonly document: Document.Parsed;
  readonly placeAt: (offset: number) => TextPosition;
  readonly problems: Problem[];
  /** By the names that the schema has. */
  readonly checks: TextChecks;
  /** Where each field is that the file has. */
  readonly places: Map<string, TextPosition>;
}

/** Names of fields that a message lists; of more, only the nearest is shown. */
const MAX_LISTED = 16;

/** The value of a document by `schema`. A part with a mistake is undefined. */
export function readDocumentFields(schema: FieldSchema, reading: FieldReading): unknown {
  return readValue(schema, reading.document.contents, '', { line: 1, column: 1 }, reading);
}

/** `at`: the position of an empty value, which has none of its own. */
function readValue(
  schema: FieldSchema,
  found: unknown,
  field: string,
  at: TextPosition,
  reading: FieldReading,
): unknown {
  const place = placeOf(found, reading) ?? at;
  reading.places.set(field, place);
  const node = resolve(found, reading);
  const fail = (message: string): undefined => {
    reading.problems.push({ ...place, field, message: `${field === '' ? 'the file' : field} ${message}` });
  };
  if (isAlias(found) && node === null) return fail('is an alias (*name) without an anchor (&name) before it');
  if (isEmpty(node)) return readEmpty(schema, field, at, reading, fail);
  const variant = chooseVariant(schema, node);
  if (variant === undefined) return fail(`is ${describeNode(schema, node)}; it must be ${toWords(schema)}`);
  if (isMap(node) && variant !== schema && node.items.length === 0)
    return fail(`is empty; it must be ${toWords(schema)}`);
  if (isMap(node)) return readMap(variant, node, field, place, reading);
  if (isSeq(node)) return readList(variant, node, field, reading, fail);
  return readScalar(variant, node, reading, fail);
}

/** A field without a value, for example because each of its entries is a comment. */
function readEmpty(
  schema: FieldSchema,
  field: string,
  at: TextPosition,
  reading: FieldReading,
  fail: (message: string) => undefined,
): unknown {
  const isGroup = schema.type === 'array' || schema.type === 'object';
  if (schema.default !== undefined && isGroup) return readDefault(schema, field, at, reading);
  return fail(`is empty; ${schema.advice ?? `it must be ${toWords(schema)}`}`);
}

/** A default in the form of the file: a map has the defaults of its own fields. */
function readDefault(schema: FieldSchema, field: string, at: TextPosition, reading: FieldReading): unknown {
  if (schema.type !== 'object') return structuredClone(schema.default);
  return readMap(schema, undefined, field, at, reading);
}

function readMap(
  schema: FieldSchema,
  node: YAMLMap | undefined,
  field: string,
  place: TextPosition,
  reading: FieldReading,
): unknown {
  const known = schema.properties ?? {};
  const value: Record<string, unknown> = {};
  const lines = new Map<string, number>();
  for (const { key, value: item } of node?.items ?? []) {
    const at = placeOf(key, reading) ?? place;
    const fail = (message: string): void => {
      reading.problems.push({ ...at, field, message });
    };
    const keyNode = resolve(key, reading);
    const name = keyNode === null ? '' : nameOf(keyNode);
    const first = lines.get(name);
    const property = Object.hasOwn(known, name) ? known[name] : undefined;
    if (property === undefined) fail(unknownField(schema, name, field));
    else if (first !== undefined) fail(`${toPath(field, name)} stands here again; it is on line ${first} already`);
    else value[name] = readValue(property, item, toPath(field, name), at, reading);
    lines.set(name, first ?? at.line);
  }
  for (const name of schema.required ?? []) {
    const property = known[name];
    // Fields of a merge key do not count as missing: the key itself is refused.
    if (property === undefined || lines.has(name) || lines.has('<<')) continue;
    const path = toPath(field, name);
    if (property.default !== undefined) value[name] = readDefault(property, path, place, reading);
    else {
      const message = `${path} is missing; ${property.advice ?? `it must be ${toWords(property)}`}`;
      reading.problems.push({ ...place, field: path, message });
    }
  }
  return value;
}

function unknownField(schema: FieldSchema, name: string, field: string): string {
  if (name === '') return `${field === '' ? 'the file' : field} has a key that is no text, or an empty one`;
  const shown = /^[\w.$-]{1,40}$/.test(name)
    ? toPath(field, name)
    : `${field === '' ? '' : `${field}: `}a key of ${name.length} characters`;
  if (name === '<<')
    return `${field}: merge keys (<<) are not taken; write the fields out, or let the whole map be an alias (*name)`;
  const names = Object.keys(schema.properties ?? {});
  const near = suggestion(name, names);
  const others = names.length <= MAX_LISTED ? ` Its fields are ${names.join(', ')}.` : '';
  return `${shown} is not a field of ${schema.title ?? 'this map'}.${near === '' ? others : near}`;
}

function readList(
  schema: FieldSchema,
  node: YAMLSeq,
  field: string,
  reading: FieldReading,
  fail: (message: string) => undefined,
): unknown {
  const { items: item, minItems = 0, maxItems = Infinity } = schema;
  const { length } = node.items;
  if (length < minItems || length > maxItems) return fail(`has ${length} entries; it must be ${toWords(schema)}`);
  if (item === undefined) return fail('is a list');
  const start = placeOf(node, reading) ?? { line: 1, column: 1 };
  return node.items.map((each, i) => readValue(item, each, `${field}[${i}]`, start, reading));
}

function readScalar(
  schema: FieldSchema,
  node: Scalar,
  { checks }: FieldReading,
  fail: (message: string) => undefined,
): unknown {
  const { value } = node;
  const wrong = (hint = ''): undefined =>
    fail(`is ${describeValue(schema, value)}; it must be ${toWords(schema)}${hint}`);
  if (schema.type === 'null') return null;
  if (schema.type === 'boolean') return typeof value === 'boolean' ? value : wrong();
  if (schema.type === 'integer') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
    // -0 is 0 wherever it is compared, and is printed as 0.
    return isWhole ? value + 0 : wrong(integerHint(schema, value));
  }
  if (schema.enum !== undefined) {
    const isWord = typeof value === 'string';
    if (isWord && schema.enum.includes(value)) return value;
    return wrong(isWord ? suggestion(value, schema.enum).replace(/^ /, '. ') : '');
  }
  // A text that YAML reads as a number may be invalid in quotes too.
  const text = typeof value === 'string' ? value : (node.source ?? '');
  const { minLength = 0, maxLength = Infinity, pattern = '', check } = schema;
  if (text.length < minLength || text.length > maxLength || !new RegExp(pattern, 'u').test(text)) return wrong();
  const fault = check === undefined ? undefined : present(checks[check], 'the check of a schema is there')(text);
  if (fault !== undefined) return fail(`${quoteShort(schema, text)}${fault}`);
  return typeof value === 'string' ? value : wrong(textHint(schema, text));
}

/** The value before the mistake, if a message may show it: `is "127.0.0.1", which has no port`. */
function quoteShort(schema: FieldSchema, value: string): string {
  const quoted = schema.check === 'baseUrl' || schema.check === 'origin' ? undefined : quoteName(value);
  return quoted === undefined ? '' : `is ${quoted}, which `;
}

/**
 * The schema of a union that fits a node; the schema itself if it is not a union. Undefined: the node has another type.
 */
function chooseVariant(schema: FieldSchema, node: Scalar | YAMLMap | YAMLSeq): FieldSchema | undefined {
  const variants = variantsOf(schema);
  if (isSeq(node)) return variants.find(({ type }) => type === 'array');
  if (!isMap(node)) {
    const isNull = node.value === null;
    return variants.find(({ type }) => type !== 'array' && type !== 'object' && (type === 'null') === isNull);
  }
  // Of several maps the one whose fields are there most.
  const names = node.items.map(({ key }) => nameOf(key));
  const fits = ({ properties = {} }: FieldSchema): number =>
    names.filter((name) => Object.hasOwn(properties, name)).length;
  const [best] = variants.filter(({ type }) => type === 'object').toSorted((a, b) => fits(b) - fits(a));
  return best;
}

function variantsOf(schema: FieldSchema): readonly FieldSchema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(variantsOf);
}

function describeNode(schema: FieldSchema, node: Scalar | YAMLMap | YAMLSeq): string {
  if (isMap(node)) return 'a map';
  return isSeq(node) ? 'a list' : describeValue(schema, node.value);
}

/** The value of an alias; null if no anchor precedes it. */
function resolve(found: unknown, { document }: FieldReading): Scalar | YAMLMap | YAMLSeq | null {
  const node = isAlias(found) ? found.resolve(document) : found;
  return isScalar(node) || isMap(node) || isSeq(node) ? node : null;
}

function isEmpty(node: Scalar | YAMLMap | YAMLSeq | null): node is null {
  return node === null || (isScalar(node) && node.value === null && (node.source ?? '') === '');
}

/** Undefined for a value that is empty. */
function placeOf(found: unknown, { placeAt }: FieldReading): TextPosition | undefined {
  const isNode = isAlias(found) || isScalar(found) || isMap(found) || isSeq(found);
  if (!isNode || !found.range || (isScalar(found) && found.value === null && (found.source ?? '') === ''))
    return undefined;
  return placeAt(found.range[0]);
}

/** A key as the name of a field; empty for other keys than texts and numbers. */
function nameOf(key: unknown): string {
  const value = isScalar(key) ? key.value : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function toPath(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}
