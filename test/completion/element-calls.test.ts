// Calls whose arguments are elements: what is read of every text that the grammar allows is valid by the tool's schema.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialects, type NotationText } from '../../src/chat/index.js';
import { isAppError, present, type JsonObject } from '../../src/base/index.js';
import { buildGrammar } from '../../src/completion/grammars/build-grammar.js';
import { toCallsRequest } from '../../src/completion/grammars/grammar-request.js';
import { compileGrammar, GrammarWalk } from '../../src/grammar/index.js';
import { createAjv, hasTwice, isWrongInAjv } from '../grammar/schema/compare.js';
import { schemas } from '../grammar/schema/random-schemas.js';
import { createRandom, createSampler } from '../grammar/sample.js';

/** Random schemas that are tried. */
const NUM_SCHEMAS = 150;

const ajv = createAjv();
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

const examples: Readonly<Record<string, JsonObject>> = {
  'strings and numbers': object({ a: { type: ['string', 'number', 'null'] }, b: { type: ['boolean', 'string'] } }),
  'strings of a pattern, or null': object({
    a: { anyOf: [{ type: 'string', pattern: '^[0-9n]+$' }, { type: 'null' }] },
  }),
  'strings of digits beside integers': object({ a: { enum: ['1', '2x', 'null', ' 7', 7, 'True', true] } }),
  'strings, lists and objects': object({ a: { type: ['string', 'array', 'object'], items: { type: 'integer' } } }),
  'long strings': object({
    a: { type: 'string', minLength: 3, maxLength: 700 },
    b: { type: ['string', 'null'], minLength: 300 },
  }),
  'closing tags among values': object({
    a: { enum: ['</parameter>', '</arg_value>', 'x'] },
    b: { const: { '<': ['</p'] } },
  }),
  'strings within lists': object({ a: { type: 'array', items: { type: 'string', maxLength: 300 }, minItems: 1 } }),
  'other properties': {
    type: 'object',
    properties: { a: { type: 'integer' } },
    additionalProperties: { type: ['integer', 'string'], minLength: 2 },
  },
  'names of a pattern': {
    type: 'object',
    patternProperties: { '^x': { const: 'y' } },
    additionalProperties: false,
    minProperties: 1,
  },
  'counted properties': object(
    { a: {}, b: { type: 'string' }, c: { type: 'number' } },
    { required: [], minProperties: 2, maxProperties: 2 },
  ),
  'alternatives of objects': {
    type: 'object',
    anyOf: [
      object({ kind: { const: 'n' }, v: { type: 'number' } }),
      object({ kind: { const: 's' }, v: { type: 'string', minLength: 1 } }),
    ],
  },
  references: {
    ...object({ a: { $ref: '#/$defs/word' }, next: { $ref: '#/$defs/tree' } }),
    $defs: {
      word: { type: 'string', minLength: 1 },
      tree: object({ of: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
    },
  },
  anything: { type: 'object' },
  nothing: { type: 'object', additionalProperties: false },
};

/** The first of the texts that a notation allows. */
const textOf = ([text]: readonly NotationText[]): string => (typeof text === 'string' ? text : '');

describe.each([dialects.qwenCoder, dialects.glm].map((dialect) => [dialect.name, dialect] as const))(
  '%s',
  (_, dialect) => {
    const notation = present(dialect.calls, 'it writes calls');
    const grammarOf = (parameters: JsonObject, strict?: boolean) => {
      const called = { name: 'f', parameters, ...(strict !== undefined && { strict }) };
      const wishes = {
        tools: [{ type: 'function', function: called }],
        toolChoice: { isRequired: true },
        isSingle: true,
      };
      return buildGrammar({ calls: toCallsRequest({ ...wishes, toolSchema: () => 'tools[0]' }, notation) });
    };
    const readOf = (parameters: JsonObject, text: string): string => {
      const parser = dialect.createParser({ tools: true, parametersOf: () => parameters });
      const deltas = [...parser.push({ text }), ...parser.end()];
      const [call] = deltas.flatMap((delta) => (delta.type === 'toolCall' ? [delta.argumentsText] : []));
      expect([text, deltas.length]).toEqual([text, 1]);
      return call ?? '';
    };
    const accepts = (parameters: JsonObject, values: Readonly<Record<string, string>>): boolean => {
      const { open, middle, close } = present(notation.elements, 'of elements');
      const written = Object.entries(values).map(([key, value]) => `${open}${key}${middle[0]}${value}${close[0]}`);
      const text = [textOf(notation.open('f')), ...written, textOf(notation.close)].join('');
      const walk = new GrammarWalk(compileGrammar(grammarOf(parameters).grammar));
      return walk.start().advance(new TextEncoder().encode(text))?.canEnd === true;
    };

    it.each(Object.entries(examples))('has valid arguments alone for %s', (_name, schema) => {
      const validate = ajv.compile(schema);
      const sample = createSampler(grammarOf(schema).grammar);
      const random = createRandom(5);
      for (let i = 0; i < 60; i++) {
        const text = sample(random);
        const made = readOf(schema, text);
        expect([text, made, validate(JSON.parse(made))]).toEqual([text, made, true]);
      }
    });

    it('has valid arguments alone for random schemas, or refuses them by name', () => {
      let numHeld = 0;
      fc.assert(
        fc.property(schemas, fc.nat(), (inner, seed) => {
          fc.pre(!isWrongInAjv(inner) && !/[rR]ef"/.test(JSON.stringify(inner)));
          const schema = object({ a: inner, b: { type: 'string' } }, { required: ['b'] });
          const validate = ajv.compile(schema);
          const random = createRandom(seed);
          let sample: ReturnType<typeof createSampler>;
          try {
            sample = createSampler(grammarOf(schema).grammar);
          } catch (error) {
            if (!isAppError(error)) throw error;
            expect(['unsupported_schema', 'unsatisfiable_schema', 'grammar_too_large']).toContain(error.code);
            return;
          }
          numHeld++;
          for (let i = 0; i < 4; i++) {
            const text = sample(random);
            const made = readOf(schema, text);
            // Of a name that comes twice the last counts, so the number of names may differ.
            if (!hasTwice(made)) expect([text, made, validate(JSON.parse(made))]).toEqual([text, made, true]);
          }
        }),
        { numRuns: NUM_SCHEMAS },
      );
      expect(numHeld).toBeGreaterThan(NUM_SCHEMAS / 2);
    });

    it('takes strings as they are, and all else as JSON', () => {
      const schema = object({
        s: { type: 'string' },
        n: { type: 'integer' },
        l: { type: 'array', items: { type: 'string' } },
      });
      expect(accepts(schema, { s: 'say "hi"\n  </tool_call> {', n: '-3', l: '["a", "</b>"]' })).toBe(true);
      expect(accepts(schema, { s: '', n: '0', l: '[]' })).toBe(true);
      for (const wrong of [
        { n: '"3"' },
        { n: '3.5' },
        { l: '[1]' },
        { l: '' },
        { l: `["${notation.elements?.closingTag}"]` },
      ]) {
        expect([wrong, accepts(schema, { s: 'x', n: '3', l: '[]', ...wrong })]).toEqual([wrong, false]);
      }
      expect(accepts(schema, { s: `a${notation.elements?.closingTag}b`, n: '3', l: '[]' })).toBe(false);
    });

    it('holds strings that would be read as something else', () => {
      const nullable = object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } });
      const dated = object({ a: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] } });
      const number = object({ a: { type: ['string', 'number'], maxLength: 3, minimum: 50 } });
      expect(['2024-01-31', 'null', '31'].map((a) => accepts(dated, { a }))).toEqual([true, true, false]);
      expect(['', 'nulls', 'null', '{"a"', 'None'].map((a) => accepts(nullable, { a }))).toEqual([
        true,
        true,
        true,
        true,
        false,
      ]);
      expect(['7a', '70', '7', '-', '1e1', 'abcd'].map((a) => accepts(number, { a }))).toEqual([
        true,
        true,
        false,
        true,
        false,
        false,
      ]);
    });

    it('refuses by name what cannot be written so, and leaves it open where that is allowed', () => {
      const tag = notation.elements?.closingTag;
      for (const [schema, words] of [
        [object({ 'a<b': { type: 'string' } }), 'a<b'],
        [object({ a: { const: `x${tag}` } }), tag],
      ] as const) {
        expect(() => grammarOf(schema)).toThrow(expect.objectContaining({ code: 'unsupported_schema' }) as Error);
        expect(() => grammarOf(schema)).toThrow(words);
        expect(grammarOf(schema, false).unenforced).toEqual(['tools[0]']);
      }
      const impossible = object({ a: { type: 'string', minLength: 2, maxLength: 1 } });
      expect(() => grammarOf(impossible)).toThrow(expect.objectContaining({ code: 'unsatisfiable_schema' }) as Error);
    });
  },
);
