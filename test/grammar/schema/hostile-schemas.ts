// Schemas that want more than there is.

type Schema = Readonly<Record<string, unknown>>;

const many = (count: number, make: (i: number) => readonly [string, unknown]): Schema =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)));
const list = (count: number, make: (i: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Alternatives within alternatives: twice as many schemas a level. */
function tree(levels: number): Schema {
  if (levels === 0) return { type: 'string' };
  const [object, array] = [{ properties: { a: tree(levels - 1) } }, { items: tree(levels - 1) }];
  return {
    anyOf: [
      { type: 'object', ...object },
      { type: 'array', ...array },
    ],
  };
}

function nested(levels: number): Schema {
  let schema: Schema = {};
  for (let i = 0; i < levels; i++) schema = { properties: { a: schema } };
  return schema;
}

/** Schemas that want more than there is, and what becomes of them. */
export const hostileSchemas: readonly (readonly [name: string, outcome: string, schema: Schema])[] = [
  [
    'alternatives that multiply',
    'grammar_too_large',
    { allOf: list(20, (i) => ({ anyOf: [{ required: [`a${i}`] }, { required: [`b${i}`] }] })) },
  ],
  [
    'alternatives that exclude one another',
    'compiled',
    { oneOf: list(30, (i) => ({ properties: { [`p${i}`]: { type: 'integer' } } })) },
  ],
  ['a deep tree of alternatives', 'compiled', tree(10)],
  ['a deeper one', 'grammar_too_large', tree(14)],
  [
    'references in a long chain',
    'grammar_too_large',
    { $ref: '#/$defs/d0', $defs: many(5_000, (i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]) },
  ],
  ['a reference to itself', 'unsupported_schema', { allOf: [{ $ref: '#' }] }],
  ['schemas 200 deep', 'compiled', nested(200)],
  ['schemas 2,000 deep', 'grammar_too_large', nested(2_000)],
  ['an enum of 100,000 texts', 'compiled', { enum: list(100_000, (i) => `value ${i}`) }],
  ['an enum of 10,000 objects', 'grammar_too_large', { enum: list(10_000, (i) => ({ a: i })) }],
  ['a length of a billion', 'compiled', { type: 'string', minLength: 1e8, maxLength: 1e9 }],
  ['a billion items', 'compiled', { type: 'array', minItems: 1e8, maxItems: 1e9 }],
  ['a pattern and a length of a million', 'grammar_too_large', { type: 'string', pattern: '^[a-z]+$', maxLength: 1e6 }],
  ['a pattern that others match for years', 'compiled', { type: 'string', pattern: '^(a+)+$' }],
  ['a pattern of a billion states', 'grammar_too_large', { type: 'string', pattern: '(a|b)*a(a|b){30}' }],
  ['patterns that meet in many ways', 'grammar_too_large', { patternProperties: many(20, (i) => [`a.{${i}}b`, {}]) }],
  [
    '3,000 properties',
    'compiled',
    { properties: many(3_000, (i) => [`p${i}`, { type: 'string' }]), additionalProperties: false },
  ],
  [
    'a dependency of each of 30 properties',
    'grammar_too_large',
    { dependentRequired: many(30, (i) => [`a${i}`, [`b${i}`]]) },
  ],
  ['a large prime step', 'grammar_too_large', { multipleOf: 999_983 }],
  ['thousands of items that must be so', 'grammar_too_large', { contains: { type: 'integer' }, minContains: 5_000 }],
  ['bounds of 300 digits', 'compiled', { type: 'number', minimum: -1e300, maximum: 1e300, exclusiveMaximum: 5e-324 }],
];
