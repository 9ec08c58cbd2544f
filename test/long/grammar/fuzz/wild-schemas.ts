import fc from 'fast-check';
import { documents, schemas, values } from '../../../grammar/schema/random-schemas.js';

/** Values that a keyword does not expect, or that ask for more than there is. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  values,
  fc.constantFrom<unknown>(
    -1,
    1e9,
    2 ** 53,
    1e300,
    '#',
    '#/$defs/none',
    '(a|b)*a(a|b){12}',
    '^(a+)+$',
    '(',
    '\\p{L}+',
    'date-time',
    [],
    {},
    [{}],
    { a: { $ref: '#' } },
    [[['a']]],
  ),
);

/** Keywords that random schemas do not have, or have with other values. */
const more = fc.constantFrom(
  ...[
    ['pattern', 'format', 'maxLength', 'minLength', 'maxItems', 'minItems', 'multipleOf', 'minimum', 'maximum'],
    ['uniqueItems', '$ref', '$id', '$anchor', '$schema', 'items', 'type', 'enum', 'definitions', 'contains'],
    ['additionalProperties', 'properties', 'required', 'anyOf', 'oneOf', 'not', 'discriminator', 'if', 'toString'],
  ].flat(),
);

/** Random schemas, a part of them with one value somewhere that does not belong there. */
export const wildSchemas: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: schemas, weight: 4 },
  { arbitrary: documents, weight: 2 },
  {
    arbitrary: fc
      .tuple(fc.oneof(schemas, documents), fc.nat(), more, junk)
      .map(([schema, at, key, value]) => put(schema, at, key, value)),
    weight: 3,
  },
  { arbitrary: junk, weight: 1 },
);

/** `schema` with a keyword more, or another value of it, in one of its objects. */
function put(schema: unknown, at: number, key: string, value: unknown): unknown {
  const copy: unknown = structuredClone(schema);
  const objects: object[] = [];
  const open: unknown[] = [copy];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    if (!Array.isArray(one)) objects.push(one);
    open.push(...Object.values(one).filter((inner) => inner !== undefined));
  }
  const target = objects[at % Math.max(1, objects.length)];
  if (target !== undefined) Object.defineProperty(target, key, { value, enumerable: true, configurable: true });
  return copy;
}
