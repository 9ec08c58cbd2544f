/** A schema as requests bring them, and an answer to it. */
export interface SchemaCase {
  readonly name: string;
  readonly schema: object;
  readonly answer: object;
}

const string = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const listOf = (items: object): object => ({ type: 'array', items });

function object(properties: Readonly<Record<string, object>>, required = Object.keys(properties)): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Arguments of tools, extraction, steps of reasoning, recursion, unions, and objects with keys of any name. */
export const schemaCases: readonly SchemaCase[] = [
  {
    name: 'weather',
    schema: object({ location: string, unit: { enum: ['celsius', 'fahrenheit'] } }, ['location']),
    answer: { location: 'San Francisco, CA', unit: 'celsius' },
  },
  {
    name: 'person',
    schema: object({ name: string, age: { type: 'integer', minimum: 0, maximum: 150 }, tags: listOf(string) }),
    answer: { name: 'Ada Lovelace', age: 36, tags: ['mathematics', 'poetical science'] },
  },
  {
    name: 'order',
    schema: object({
      id: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{6}$' },
      customer: object({
        name: { type: 'string', minLength: 1, maxLength: 100 },
        address: object({ street: string, city: string, zip: { type: 'string', pattern: '^[0-9]{5}$' } }),
      }),
      items: listOf(object({ sku: string, quantity: integer, price: number, note: { type: ['string', 'null'] } })),
    }),
    answer: {
      id: 'ABC-123456',
      customer: {
        name: 'Grace Hopper',
        address: { street: '1 Navy Way, Building 42', city: 'Arlington', zip: '22202' },
      },
      items: [
        { sku: 'X-1', quantity: 2, price: 9.95, note: null },
        { sku: 'Y-22', quantity: 1, price: 100, note: 'gift wrapped, please "carefully"' },
      ],
    },
  },
  {
    name: 'steps',
    schema: object({ steps: listOf(object({ explanation: string, output: string })), final_answer: string }),
    answer: {
      steps: [
        { explanation: 'Subtract 7 from both sides of the equation.', output: '8x = -30' },
        { explanation: 'Divide both sides by 8.', output: 'x = -30/8' },
      ],
      final_answer: 'x = -15/4',
    },
  },
  {
    name: 'tree',
    schema: {
      $defs: { node: object({ value: string, children: listOf({ $ref: '#/$defs/node' }) }) },
      $ref: '#/$defs/node',
    },
    answer: {
      value: 'root',
      children: [
        { value: 'left', children: [] },
        { value: 'right', children: [] },
      ],
    },
  },
  {
    name: 'event',
    schema: object({
      event: {
        anyOf: [
          object({ type: { const: 'click' }, x: number, y: number }),
          object({ type: { const: 'key' }, key: string, shift: boolean }),
          object({ type: { const: 'text' }, text: string }),
        ],
      },
      at: { type: 'string', format: 'date-time' },
    }),
    answer: { event: { type: 'key', key: 'Enter', shift: false }, at: '2026-11-26T07:00:00Z' },
  },
  {
    name: 'package',
    schema: {
      ...object({ name: string, version: string, private: boolean }, ['name', 'version']),
      additionalProperties: { type: 'object', additionalProperties: string },
    },
    answer: {
      name: 'my-package',
      version: '1.2.3',
      private: true,
      dependencies: { react: '^18.0.0', 'left-pad': '1.3.0' },
      scripts: { test: 'vitest run', build: 'tsc -p .' },
    },
  },
];
