import { isAppError } from '../../../src/base/index.js';
import { realSchemas } from '../../grammar/schema/real-schemas.js';
import { compileOurs } from './masks-of-both.js';
import type { PeerGrammar } from './llguidance-peer.js';

/** A grammar that both are asked about, and texts of it beside random ones. */
export type MaskCase = readonly [name: string, grammar: PeerGrammar, texts: readonly string[]];

const string = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more });
const object = (properties: object, required: readonly string[] = Object.keys(properties)): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const pattern = (source: string): object => ({ type: 'string', pattern: source });

const schemas: Readonly<Record<string, object>> = {
  'any string': string,
  'any number': number,
  'any integer': integer,
  'a boolean or null': { type: ['boolean', 'null'] },
  'three properties': object({ name: string, age: integer, member: { type: 'boolean' } }),
  'optional properties': object({ first: integer, second: integer, third: integer }, []),
  'an optional one between required ones': object({ a: integer, b: string, c: integer }, ['a', 'c']),
  'names that begin alike': object({ id: integer, ident: integer, identity: integer }, ['ident']),
  'no properties': object({}),
  'other properties of a type': { type: 'object', additionalProperties: integer },
  'known and other properties': {
    type: 'object',
    properties: { id: integer },
    required: ['id'],
    additionalProperties: { type: 'boolean' },
  },
  'an enum of strings': { enum: ['red', 'reddish', 'rose', 'room'] },
  'an enum of types': { enum: [1, 10, 'one', null, true] },
  'a constant': { const: 'a "quoted" word' },
  'a list of enums': list({ enum: ['yes', 'no', 'yes and no'] }, { minItems: 1 }),
  'a list of two to four': list(integer, { minItems: 2, maxItems: 4 }),
  'a list of lists': list(list(integer)),
  'a tuple': { type: 'array', prefixItems: [integer, string, { type: 'boolean' }], items: false, minItems: 3 },
  'a tree': {
    $ref: '#/$defs/node',
    $defs: { node: object({ value: integer, children: list({ $ref: '#/$defs/node' }) }) },
  },
  'a string or a whole number': { anyOf: [string, integer] },
  'one of two objects': {
    anyOf: [
      object({ kind: { const: 'circle' }, radius: integer }),
      object({ kind: { const: 'square' }, side: integer }),
    ],
  },
  'whole numbers of 1 to 150': { type: 'integer', minimum: 1, maximum: 150 },
  'whole numbers of -20 to 20': { type: 'integer', minimum: -20, maximum: 20 },
  'whole numbers above 7': { type: 'integer', exclusiveMinimum: 7 },
  'numbers of 0 to 1': { type: 'number', minimum: 0, maximum: 1 },
  'strings of 2 to 5': { type: 'string', minLength: 2, maxLength: 5 },
  'a pattern of letters and slashes': pattern('^[a-z/]+$'),
  'a pattern of an order': pattern('^[A-Z]{3}-[0-9]{6}$'),
  'a pattern with a quote': pattern('^"[a-z]*"$'),
  'a pattern in the middle': pattern('[0-9]-'),
  'a date': { type: 'string', format: 'date' },
  'a date and time': { type: 'string', format: 'date-time' },
  'a UUID': { type: 'string', format: 'uuid' },
};

/** Escapes and exponents: random texts seldom have them. */
const texts: Readonly<Record<string, readonly string[]>> = {
  'any string': [String.raw`"\u00e9\n\"\\t"`, String.raw`"\ud83d\ude00 and \uD83D\uDE00"`, '"one\\two, three"'],
  'strings of 2 to 5': [String.raw`"\u0041\ud83d\ude00"`, String.raw`"\\"\b\f\r"`],
  'any number': ['-0.5e-10', '1e5', '123.456', '-0', '1.25E+7', '0.000001'],
  'any integer': ['-0', '1e20', '12345678901234567890'],
  'numbers of 0 to 1': ['0.25', '1', '-0', '1.0', '2.5e-7'],
  'whole numbers of 1 to 150': ['150', '15', '149', '99'],
  'whole numbers above 7': ['8', '10', '70'],
  'whole numbers of -20 to 20': ['-20', '-0', '19'],
  'other properties of a type': [String.raw`{"a\"b":1,"\n":2}`],
  'a date': ['"2026-02-28"', '"1900-02-28"', '"2024-02-29"', '"2000-02-29"'],
  'a date and time': ['"2016-12-31T23:59:60Z"', '"2026-02-28T07:05:09.25+01:30"'],
  'a pattern with a quote': [String.raw`"\"ab\""`],
  'a pattern in the middle': [String.raw`"a\n 1-\t"`],
};

/** ECMA-262 and Rust read these alike, but for what a test says about the point. */
const regexes: readonly string[] = [
  '[0-9]+(\\.[0-9]+)?',
  '[+-]?[0-9]{1,3}(,[0-9]{3})*',
  '[a-z]+( [a-z]+)*',
  '(red|reddish|rose|room)+\\.',
  '[^"<>]*',
  '<[^<>]*>',
  '"([^"\\\\]|\\\\.)*"',
  '[\\u4e00-\\u9fa5]{2,10}',
  '[А-Яа-яё]+(-[А-Яа-яё]+)?',
  '[\\u{1F600}-\\u{1F64F}]{1,4}',
  'a{3,7}b?',
  '(a|b)*abb',
  'x*y*z*',
  '(if|then|else|[a-z]{1,8})( (if|then|else|[a-z]{1,8}))*',
  '#[0-9a-fA-F]{6}',
  '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])',
  'https?://[a-z0-9.-]+(/[a-z0-9._~-]*)*',
  '[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,7}',
  '(\\([a-z]*\\))+',
  '.{0,20}',
  '[\\s\\S]{1,30}',
];

/** Schemas as people write them, without those that we refuse and those of a draft that ajv does not know. */
const real = realSchemas.filter((schema) => {
  if (JSON.stringify(schema).includes('draft-04')) return false;
  try {
    compileOurs({ schema });
    return true;
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
});

/** JSON Schemas and regular expressions. */
export const maskCases: readonly MaskCase[] = [
  ...Object.entries(schemas).map(([name, schema]): MaskCase => [name, { schema }, texts[name] ?? []]),
  ...regexes.map((regex): MaskCase => [`regex ${regex}`, { regex }, []]),
  ...real.map((schema, i): MaskCase => [`real schema ${i}`, { schema }, []]),
];
