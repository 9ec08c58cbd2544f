import fc from 'fast-check';

type Schema = boolean | { readonly [keyword: string]: unknown };

const NAMES = ['a', 'ab', 'b', 'c'];
const PATTERNS = ['^a', 'b$', '^[a-c]+$', 'x|y', '^\\d{2}$', ''];
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -3, 1.5, 'a', 'ab', 'xyz', '12', '', 'é😀');

/** JSON values that random schemas say something about. */
export const values: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.constantFrom(3, 4, 6, 10, 0.1, -1, 100, 1e21, 1e-7, 2.5), weight: 2 },
    { arbitrary: fc.array(tie('value'), { maxLength: 4 }), weight: 3 },
    {
      arbitrary: fc.dictionary(fc.constantFrom(...NAMES, 'x', '12'), tie('value'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
      weight: 4,
    },
  ),
})).value;

const small = fc.nat(3);
const bound = fc.constantFrom(-3, 0, 1, 1.5, 2, 5, 0.1, 100);
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 1 });

/** Keywords about one type each, and their values. */
const scalars: readonly fc.Arbitrary<Readonly<Record<string, unknown>>>[] = [
  fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object') }),
  fc.record({
    type: fc.uniqueArray(fc.constantFrom('string', 'integer', 'null', 'object', 'array'), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  fc.record({ enum: fc.array(values, { minLength: 1, maxLength: 4 }) }),
  fc.record({ const: values }),
  fc.record({ minimum: some(bound), maximum: some(bound) }),
  fc.record({ exclusiveMinimum: some(bound), exclusiveMaximum: some(bound) }),
  fc.record({ type: fc.constantFrom('integer', 'number'), multipleOf: fc.constantFrom(1, 2, 3, 0.5, 10) }),
  fc.record({ minLength: some(small), maxLength: some(small) }),
  fc.record({ pattern: fc.constantFrom(...PATTERNS) }),
  fc.record({ required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }) }),
  fc.record({ minProperties: some(small), maxProperties: some(small) }),
  fc.record({ minItems: some(small), maxItems: some(small) }),
  fc.record({
    dependentRequired: fc.dictionary(
      fc.constantFrom(...NAMES),
      fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
      { maxKeys: 2, noNullPrototype: true },
    ),
  }),
];

/** By entries: an object with `then` looks like a promise. */
function conditional(parts: readonly (Schema | undefined)[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(['if', 'then', 'else'].map((keyword, i) => [keyword, parts[i]]));
}

/** Schemas of draft 2020-12 with all keywords, and references to `$defs`. */
export const schemas: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema; keywords: Schema }>((tie) => {
  const schema = tie('schema');
  const map = (keys: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...keys), schema, { maxKeys: 3, noNullPrototype: true });
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const applicators: readonly fc.Arbitrary<Readonly<Record<string, unknown>>>[] = [
    fc.record({
      properties: map(NAMES),
      additionalProperties: some(schema),
      required: some(fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 })),
    }),
    fc.record({ properties: map(NAMES), patternProperties: some(map(PATTERNS)), additionalProperties: some(schema) }),
    fc.record({ propertyNames: schema }),
    fc.record({ items: schema, prefixItems: some(list) }),
    fc.record({ prefixItems: list, items: fc.constantFrom<Schema>(false, true) }),
    fc.record({ contains: schema, minContains: some(small), maxContains: some(small) }),
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ not: schema }),
    fc.tuple(schema, some(schema), some(schema)).map(conditional),
    fc.record({ dependentSchemas: map(NAMES) }),
    fc.record({ unevaluatedProperties: schema }),
    fc.record({ unevaluatedItems: schema }),
    fc.record({ $ref: fc.constantFrom('#/$defs/p', '#/$defs/q') }),
  ];
  const groups = fc.array(fc.oneof(fc.oneof(...scalars), fc.oneof(...applicators)), { minLength: 1, maxLength: 3 });
  const plain = fc.array(fc.oneof(...scalars), { minLength: 1, maxLength: 2 });
  const merge = (parts: readonly Readonly<Record<string, unknown>>[]): Schema =>
    Object.fromEntries(parts.flatMap((part) => Object.entries(part).filter(([, value]) => value !== undefined)));
  return {
    schema: fc.oneof(
      { depthSize: 'medium' },
      { arbitrary: fc.boolean(), weight: 1 },
      { arbitrary: plain.map(merge), weight: 4 },
      { arbitrary: tie('keywords'), weight: 5 },
    ),
    keywords: groups.map(merge),
  };
}).keywords;

/** A schema with the schemas that it refers to. */
export const documents: fc.Arbitrary<Schema> = fc
  .tuple(schemas, schemas, schemas)
  .map(([root, p, q]) => ({ ...Object(root), $defs: { p, q } }));
