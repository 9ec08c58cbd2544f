import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../src/base/index.js';
import { readAnyJson, readJsonSchema, type JsonSchemaGrammarOptions } from '../../../src/grammar/schema/index.js';
import { grammarAccepts } from '../interpret.js';

/** Which of the texts a schema's grammar accepts. */
function accepted(schema: unknown, texts: readonly string[], options?: JsonSchemaGrammarOptions): string[] {
  const { grammar } = readJsonSchema(schema, options);
  return texts.filter((text) => grammarAccepts(grammar, text));
}

function failureOf(schema: unknown, options?: JsonSchemaGrammarOptions): { code: string; message: string } {
  try {
    readJsonSchema(schema, options);
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  return { code: 'none', message: '' };
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    age: { type: 'integer' },
  },
  required: ['name'],
  additionalProperties: false,
};
const value = { name: 'Zoë 😀 "x"\n', tags: ['a', 'b'], age: 7 };

describe('the texts of a schema', () => {
  it('are what programs print: JSON.stringify with and without indents, and json.dumps of Python', () => {
    const python = '{"name": "Zo\\u00eb \\ud83d\\ude00 \\"x\\"\\n", "tags": ["a", "b"], "age": 7}';
    const texts = [JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, '\t'), python];
    expect(accepted(person, texts)).toEqual(texts);
    const nested = { a: { b: { c: { d: [[{ e: [] }], {}] } } } };
    const forms = [0, 1, 2, 4, '\t'].map((indent) => JSON.stringify(nested, null, indent));
    expect(accepted({}, forms)).toEqual(forms);
  });

  it('have bounded whitespace, or none', () => {
    const spaced = ['{ "name": "a" }', '{"name":  "a"}', '{"name" : "a"}', '{\n\n"name": "a"}', ' {"name":"a"}'];
    expect(accepted(person, spaced)).toEqual(['{ "name": "a" }']);
    expect(accepted(person, ['{"name":"a"}', '{"name": "a"}'], { whitespace: 'none' })).toEqual(['{"name":"a"}']);
    expect(accepted(person, ['{ "name": "a"}', '{\n"name": "a"}'], { maxIndent: 0 })).toEqual(['{ "name": "a"}']);
  });

  it('have properties in the order of the schema, or in any', () => {
    const texts = ['{"name":"a","age":1}', '{"age":1,"name":"a"}', '{"age":1}', '{"name":"a","name":"b"}'];
    expect(accepted(person, texts)).toEqual(texts.slice(0, 1));
    expect(accepted(person, texts, { anyOrder: true })).toEqual(texts.slice(0, 2));
  });

  it('have no other property by a name of the schema, however it is spelled', () => {
    const schema = { properties: { a: { type: 'string' }, é: { type: 'string' } } };
    const texts = [
      '{"a":"x"}',
      '{"\\u0061":1}',
      '{"a":"x","b":1}',
      '{"b":1,"a":1}',
      '{"\\u00e9":"x"}',
      '{"\\u00E9":1}',
    ];
    expect(accepted(schema, texts)).toEqual(['{"a":"x"}', '{"a":"x","b":1}', '{"\\u00e9":"x"}']);
  });

  it('of many optional properties may begin with any of them', () => {
    const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
    const schema = {
      properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
      additionalProperties: false,
    };
    for (const some of [names, names.slice(39), names.slice(11, 13), names.filter((_, i) => i % 7 === 3), []]) {
      const texts = [JSON.stringify(Object.fromEntries(some.map((name) => [name, 1])))];
      expect(accepted(schema, texts)).toEqual(texts);
    }
    expect(accepted(schema, ['{"p3":1,"p2":1}', '{"p3":1,}', '{,"p3":1}', '{"p3":"1"}'])).toEqual([]);
  });

  it('have lengths in code points, also of thousands', () => {
    for (const [min, max] of [
      [2, 3],
      [0, 300],
      [250, 1000],
      [1000, 1000],
      [65, 64 * 20 - 1],
    ] as const) {
      const lengths = [min - 1, min, min + 1, Math.floor((min + max) / 2), max - 1, max, max + 1].filter(
        (each) => each >= 0,
      );
      const texts = [...new Set(lengths)].map((length) => JSON.stringify('😀'.repeat(length)));
      const expected = texts.filter((text) => [...text].length - 2 >= min && [...text].length - 2 <= max);
      expect(accepted({ type: 'string', minLength: min, maxLength: max }, texts)).toEqual(expected);
    }
  });

  it('have counts of items, also of hundreds', () => {
    for (const [min, max] of [
      [0, 2],
      [1, 31],
      [31, 33],
      [10, 64],
      [100, 500],
      [320, 320],
    ] as const) {
      const lengths = [min - 1, min, min + 1, Math.floor((min + max) / 2), max - 1, max, max + 1].filter(
        (each) => each >= 0,
      );
      const texts = [...new Set(lengths)].map((length) => `[${Array.from({ length }, () => '1').join()}]`);
      const expected = texts.filter((text) => {
        const length = (JSON.parse(text) as unknown[]).length;
        return length >= min && length <= max;
      });
      expect(accepted({ items: { type: 'integer' }, type: 'array', minItems: min, maxItems: max }, texts)).toEqual(
        expected,
      );
    }
  });
});

describe('numbers', () => {
  const all = [
    '0',
    '-0',
    '1',
    '-1',
    '1.5',
    '1.50',
    '0.1',
    '1e-7',
    '1.5e-07',
    '1e+21',
    '1E22',
    '-2e+300',
    '1e+308',
    '99',
    '100',
    '100.0',
    '100.1',
  ];

  it.each([
    [{ type: 'integer' }, ['0', '-0', '1', '-1', '1e+21', '1E22', '-2e+300', '1e+308', '99', '100']],
    [{ type: 'number' }, all],
    [{ minimum: 0 }, all.filter((text) => Number(text) >= 0)],
    [{ exclusiveMinimum: 0 }, all.filter((text) => Number(text) > 0)],
    [{ maximum: 100 }, all.filter((text) => Number(text) <= 100)],
    [{ exclusiveMaximum: 100, minimum: 1.5 }, ['1.5', '1.50', '99']],
    [{ minimum: 1e-7, maximum: 1e-6 }, ['1e-7', '1.5e-07']],
    [{ minimum: 1e21 }, ['1e+21', '1E22', '1e+308']],
    [{ maximum: -1e200 }, ['-2e+300']],
    [
      { multipleOf: 0.05, minimum: -50, maximum: 200 },
      ['0', '-0', '1', '-1', '1.5', '1.50', '0.1', '99', '100', '100.0', '100.1'],
    ],
    // The doubles of 1e23 and most beyond are no multiples of 25.
    [{ multipleOf: 25, type: 'integer' }, ['0', '-0', '100']],
    [{ multipleOf: 4, type: 'integer' }, ['0', '-0', '1e+21', '1E22', '-2e+300', '1e+308', '100']],
    [{ minimum: 0, exclusiveMinimum: true, maximum: 1.5, exclusiveMaximum: true }, ['1', '0.1', '1e-7', '1.5e-07']],
    [{ not: { type: 'integer' }, type: 'number' }, ['1.5', '1.50', '0.1', '1e-7', '1.5e-07', '100.1']],
    [{ enum: [1, 1.5, 100] }, ['1', '1.5', '100']],
  ])('of %j are recognised by their decimal text', (schema, expected) => {
    expect(accepted({ type: 'number', ...schema }, all)).toEqual(expected);
  });

  it('that are not JSON are no texts', () => {
    expect(
      accepted({ type: 'number' }, ['01', '.5', '1.', '+1', '1e', '--1', 'NaN', 'Infinity', '1e+309', '']),
    ).toEqual([]);
  });
});

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';

describe('a schema that cannot be enforced', () => {
  it.each([
    [{ uniqueItems: true }, 'uniqueItems at /uniqueItems'],
    [{ properties: { 'a/b': { items: { $ref: 'https://example.com/x' } } } }, '$ref at /properties/a~1b/items/$ref'],
    [{ properties: { a: { pattern: '(a)\\1' } } }, 'pattern at /properties/a/pattern'],
    [{ patternProperties: { '[': {} } }, '[ at /patternProperties/['],
    [{ minLength: '3' }, 'minLength at /minLength'],
    [{ properties: { a: 3 } }, 'a at /properties/a'],
    [{ type: 'text' }, 'type at /type'],
    [{ $schema: 'https://example.com/draft' }, '$schema at /$schema'],
    [{ $ref: '#/definitions/a' }, '$ref at /$ref'],
    [{ $ref: '#', type: 'object' }, 'it leads back to itself'],
    [{ not: { additionalProperties: { type: 'string' } } }, 'not at /not'],
    [{ multipleOf: 0 }, 'multipleOf at /multipleOf'],
    [{ enum: 3 }, 'enum at /enum'],
    [{ const: '\ud800' }, 'const at /const'],
    [{ $schema: DRAFT_4, properties: { a: { id: 'http://[' } } }, 'id at /properties/a/id'],
    [{ $schema: DRAFT_4, properties: { a: { id: 'x' }, b: { id: 'x' } } }, 'id at /properties/b/id'],
    [{ properties: { a: { $id: 'http://[' } } }, '$id at /properties/a/$id'],
  ])('%j is refused by the name and the place of the keyword', (schema, part) => {
    const { code, message } = failureOf(schema);
    expect(code).toBe('unsupported_schema');
    expect(message).toContain(part);
    expect(message).toContain('change it, or ask with strict: false');
  });

  it.each([
    [{ allOf: [{ $ref: '#' }] }, '/allOf/0/$ref'],
    [{ if: { $ref: '#' }, else: true }, '/if/$ref'],
    [{ $ref: '#/$defs/x', $defs: { x: { $ref: '#/$defs/y' }, y: { $ref: '#/$defs/x' } } }, '/$defs/y/$ref'],
    [
      {
        properties: {
          a: { allOf: [{ $ref: '#/properties/b' }] },
          b: { anyOf: [{ $ref: '#/properties/a' }, { type: 'null' }] },
        },
      },
      '/properties/b/anyOf/0/$ref',
    ],
    [
      { $schema: DRAFT_4, definitions: { a: { not: { $ref: '#/definitions/a' } } }, $ref: '#/definitions/a' },
      '/definitions/a/not/$ref',
    ],
  ])('a loop is refused at the reference that closes it: %j', (schema, pointer) => {
    expect(failureOf(schema).message).toContain(`the keyword $ref at ${pointer} of the JSON Schema`);
  });

  it.each([undefined, null, 3, 'string', []])('%j is no schema', (schema) => {
    expect(failureOf(schema).message).toMatch(/^the JSON Schema is .*; it must be an object, true or false$/);
  });

  it.each([
    [false],
    [{ type: 'string', enum: [1, 2] }],
    [{ type: 'integer', minimum: 1.2, maximum: 1.8 }],
    [{ allOf: [{ type: 'string' }, { type: 'number' }] }],
    [{ type: 'object', required: ['a'], properties: { a: false } }],
    [{ type: 'object', required: ['a'], properties: { a: { $ref: '#' } } }],
    [{ type: 'string', pattern: '^a+$', maxLength: 0 }],
    [{ type: 'array', items: { type: 'object', minProperties: 2, maxProperties: 1 }, minItems: 1 }],
    [{ not: {} }],
  ])('%j is refused as unsatisfiable', (schema) => {
    expect(failureOf(schema).code).toBe('unsatisfiable_schema');
  });

  it('is relaxed with strict: false, and the keywords are named', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'array', uniqueItems: true, maxItems: 2 },
        b: { type: 'string', pattern: '(a)\\1', maxLength: 2 },
        c: { $ref: 'https://example.com/c' },
        d: { type: 'string', format: 'iri', 'x-note': 1, unknown: 2 },
        e: {
          oneOf: [
            { type: 'array', uniqueItems: true },
            { type: 'array', minItems: 1 },
          ],
        },
      },
      required: ['a'],
    };
    const { unenforced } = readJsonSchema(schema, { strict: false });
    expect(unenforced.toSorted()).toEqual(
      [
        '/properties/a/uniqueItems',
        '/properties/b/pattern',
        '/properties/c/$ref',
        '/properties/d/format',
        '/properties/d/unknown',
        '/properties/e/oneOf',
        '/properties/e/oneOf/0/uniqueItems',
      ].toSorted(),
    );
    const texts = ['{"a":[1,1],"b":"xy","c":[],"d":"","e":[1,1]}', '{"a":[1,1,1]}', '{"a":[],"b":"xyz"}', '{"b":"x"}'];
    expect(accepted(schema, texts, { strict: false })).toEqual(texts.slice(0, 1));
    expect(failureOf(schema).code).toBe('unsupported_schema');
  });

  it('names annotations that it does not enforce, and is not refused for them', () => {
    const { unenforced } = readJsonSchema({ type: 'string', format: 'regex', contentEncoding: 'base64', title: 'A' });
    expect(unenforced).toEqual(['/contentEncoding', '/format']);
  });
});

describe('any JSON', () => {
  const texts = [
    '{}',
    '[]',
    '{"a":{"b":[1,{"c":null}]}}',
    '"a"',
    '1.5e3',
    'null',
    '{"a":1',
    '[1,]',
    "{'a':1}",
    'nul',
    '{a:1}',
  ];

  it('is any value, or any object', () => {
    const any = readAnyJson();
    expect(texts.filter((text) => grammarAccepts(any, text))).toEqual(texts.slice(0, 6));
    const object = readAnyJson({ root: 'object' });
    expect(texts.filter((text) => grammarAccepts(object, text))).toEqual([texts[0], texts[2]]);
  });

  it('may be bounded in depth', () => {
    const flat = readAnyJson({ root: 'object', maxDepth: 2 });
    expect(['{}', '{"a":1}', '{"a":[1]}', '{"a":[{}]}'].map((text) => grammarAccepts(flat, text))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(grammarAccepts(readAnyJson(), `${'['.repeat(200)}${']'.repeat(200)}`)).toBe(true);
  });
});
