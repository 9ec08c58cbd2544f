// What the text of an argument that is an element is read as: by the tool's schema.
import { describe, expect, it } from 'vitest';
import { elementJson } from '../../src/chat/calls/elements-reader.js';
import { elementTypes } from '../../src/chat/calls/element-types.js';
import { dialects, type ModelDialect } from '../../src/chat/index.js';
import { expectCpuWithin } from '../support/elapsed.js';

const typesOf = (schema: unknown, name = 'a', untyped: 'text' | 'json' = 'text'): string[] =>
  [...elementTypes(schema, untyped).typesOf(name)].toSorted();
const ofProperty = (schema: unknown): string[] => typesOf({ properties: { a: schema } });

describe('the types of an argument', () => {
  it('are those that its schema names, besides strings', () => {
    expect(ofProperty({ type: 'string' })).toEqual([]);
    expect(ofProperty({ type: ['integer', 'null', 'string'] })).toEqual(['null', 'number']);
    expect(ofProperty({ anyOf: [{ type: 'array' }, { type: 'string' }, { const: true }] })).toEqual([
      'array',
      'boolean',
    ]);
    expect(ofProperty({ enum: ['x', 1, null, {}] })).toEqual(['null', 'number', 'object']);
    expect(ofProperty({ allOf: [{ description: 'x' }, { type: 'number' }] })).toEqual(['number']);
  });

  it('are found through references, wherever the property stands, and in schemas that lead to themselves', () => {
    const $defs = { n: { type: 'number' }, 'a/b': { $ref: '#/$defs/n' } };
    expect(typesOf({ $defs, properties: { a: { $ref: '#/$defs/a~1b' } } })).toEqual(['number']);
    expect(typesOf({ $defs: { o: { properties: { a: { type: 'boolean' } } } }, $ref: '#/$defs/o' })).toEqual([
      'boolean',
    ]);
    expect(
      typesOf({ oneOf: [{ properties: { a: { type: 'null' } } }, { properties: { a: { type: 'array' } } }] }),
    ).toEqual(['array', 'null']);
    const loop = { $ref: '#' };
    expect([typesOf(loop), ofProperty({ $ref: '#/properties/a' })]).toEqual([[], []]);
  });

  it('are found in some milliseconds, however often a schema leads to itself', () => {
    const options = Array.from({ length: 200 }, () => ({ $ref: '#/$defs/loop' }));
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`p${i}`, { anyOf: options }]));
    const schema = { $defs: { loop: { anyOf: options } }, properties };
    const { names, typesOf: of } = expectCpuWithin(1_000, () => elementTypes(schema, 'text'));
    expect([names.length, of('p1').size]).toEqual([2_000, 0]);
  });

  it('are those of other properties where the schema does not name it', () => {
    const schema = { properties: { b: {} }, additionalProperties: { type: 'integer' } };
    expect([typesOf(schema), typesOf(schema, 'b')]).toEqual([['number'], []]);
  });

  it('are none or all where nothing is said, as the dialect has it', () => {
    for (const schema of [undefined, null, true, 'x', {}, { properties: { a: true } }, { properties: { b: {} } }]) {
      expect([typesOf(schema), typesOf(schema, 'a', 'json').length]).toEqual([[], 6]);
    }
  });
});

describe('the JSON of an argument', () => {
  const all = elementTypes(undefined, 'json').typesOf('');
  const jsonOf = (text: string, ...types: ('null' | 'boolean' | 'number' | 'object')[]) =>
    elementJson(text, new Set(types));

  it('is a string where it is of no other type', () => {
    expect(jsonOf(' 1 ')).toBe('" 1 "');
    expect(jsonOf('true', 'number', 'null')).toBe('"true"');
    expect(jsonOf('{"a": 1', 'object')).toBe('"{\\"a\\": 1"');
    expect(jsonOf('01', 'number')).toBe('"01"');
    expect(jsonOf('', 'number')).toBe('""');
  });

  it('keeps a value as it is written, without the blanks around it', () => {
    expect(jsonOf(' 12345678901234567890.0\n', 'number')).toBe('12345678901234567890.0');
    expect(jsonOf('{"b" : [1e5]}', 'object')).toBe('{"b" : [1e5]}');
    expect(elementJson('"x"', all)).toBe('"x"');
  });

  it('has strings repaired, and the names that Python has for some', () => {
    expect(jsonOf('{"a": "x\ny"}', 'object')).toBe('{"a": "x\\ny"}');
    expect(['None', 'True', 'False'].map((text) => elementJson(text, all))).toEqual(['null', 'true', 'false']);
    expect(jsonOf('None', 'boolean')).toBe('"None"');
  });
});

describe('elements', () => {
  const read = (dialect: ModelDialect, text: string, parameters?: unknown): unknown => {
    const parser = dialect.createParser({ tools: true, parametersOf: () => parameters });
    return [...parser.push({ text }), ...parser.end()].map((delta) =>
      delta.type === 'toolCall' ? delta.argumentsText : delta.text,
    );
  };
  const coder = (value: string): string =>
    `<tool_call>\n<function=f>\n<parameter=a>${value}</parameter>\n</function>\n</tool_call>`;

  it('keep what is in them but for one line break at each end', () => {
    for (const [written, value] of [
      ['\n  x\n\n', '"  x\\n"'],
      ['x', '"x"'],
      ['\n\n', '""'],
      ['\n', '""'],
      ['', '""'],
      ['\n<parameter=b>\n</function>\n</tool_call>\n', '"<parameter=b>\\n</function>\\n</tool_call>"'],
    ] as const) {
      expect(read(dialects.qwenCoder, coder(written))).toEqual([`{"a": ${value}}`]);
    }
    expect(read(dialects.glm, '<tool_call>f<arg_key>a</arg_key><arg_value> x\n</arg_value></tool_call>')).toEqual([
      '{"a": " x\\n"}',
    ]);
  });

  it('that nothing types are text with Qwen, and what they look like with GLM', () => {
    expect(read(dialects.qwenCoder, coder('\n1\n'))).toEqual(['{"a": "1"}']);
    expect(read(dialects.glm, '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>')).toEqual([
      '{"a": 1}',
    ]);
  });

  it('take time by their length', () => {
    const parser = dialects.qwenCoder.createParser({ tools: true });
    parser.push({ text: '<tool_call>\n<function=f>\n<parameter=a>\n' });
    const started = process.cpuUsage();
    for (let i = 0; i < 200_000; i++) parser.push({ text: 'abc<' });
    expect(parser.pending).toBeGreaterThan(800_000);
    const { user } = process.cpuUsage(started);
    const deltas = parser.push({ text: '</parameter></function>' });
    expect(deltas[0]?.type).toBe('toolCall');
    // A value that is read anew with each token takes minutes.
    expect(user / 1e6).toBeLessThan(5);
  });
});
