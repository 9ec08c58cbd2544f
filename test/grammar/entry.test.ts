import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  compileGbnf,
  compileJsonSchema,
  compileRegex,
  createVocabulary,
  openVocabulary,
} from '../../src/grammar/entry.js';
import { loadTokenizer } from '../../src/tokenizer/index.js';

const encoder = new TextEncoder();
const demo = await loadTokenizer(join(process.cwd(), 'assets', 'demo'));
const special = new Set(demo.addedTokens.map(({ content }) => demo.tokenToId(content)));
const tokens = Array.from({ length: demo.vocabSize }, (_, id) => (special.has(id) ? undefined : demo.tokenBytes(id)));
const vocabulary = createVocabulary(tokens);

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    code: { type: 'string', pattern: '^[A-Z]{2,4}$' },
    size: { type: ['integer', 'null'] },
    tags: { type: 'array', items: { type: 'string', maxLength: 20 } },
  },
  required: ['name', 'code', 'size', 'tags'],
  additionalProperties: false,
};
const value = { name: 'Ada “L” \\ 😀', code: 'ABC', size: 12, tags: ['one', 'two three'] };

function idsOf(mask: Uint32Array): number[] {
  return Array.from({ length: tokens.length }, (_, id) => id).filter(
    (id) => (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1,
  );
}

describe('troupe/grammar', () => {
  it('accepts whole texts of a schema, an expression and a grammar', () => {
    const json = compileJsonSchema(schema);
    expect(json.accepts(JSON.stringify(value))).toBe(true);
    expect(json.accepts(encoder.encode(JSON.stringify(value, null, 2)))).toBe(true);
    expect(json.accepts(JSON.stringify({ ...value, code: 'abc' }))).toBe(false);
    expect(json.unenforced).toEqual([]);
    expect(compileRegex('a+|[0-9]{3}').accepts('aaa')).toBe(true);
    expect(compileRegex('a+').accepts('xaa')).toBe(false);
    expect(compileGbnf('root ::= "a" root "b" | "c"').accepts('aacbb')).toBe(true);
  });

  it('gives at each token of a text the mask of the tokens that go on, each looked at alone', () => {
    let state = compileJsonSchema(schema).start();
    for (const id of demo.encode(JSON.stringify(value, null, 2))) {
      const expected = tokens.flatMap((bytes, other) => (bytes && state.advance(bytes) !== undefined ? [other] : []));
      expect(idsOf(state.mask(vocabulary))).toEqual(expected);
      const next = state.advance(id, vocabulary);
      if (next === undefined) throw new Error(`token ${id} is refused`);
      state = next;
    }
    expect(state.canEnd).toBe(true);
    expect(state.advance('}')).toBe(undefined);
  });

  it('does the same with a vocabulary that was stored', () => {
    const opened = openVocabulary(vocabulary.toBytes().slice());
    const state = compileJsonSchema(schema).start().advance('{"name": "');
    expect(state?.mask(opened)).toEqual(state?.mask(vocabulary));
  });

  it('knows the bytes that must come, and refuses tokens without text', () => {
    const state = compileJsonSchema({ const: { id: 1 } }, { whitespace: 'none' }).start();
    expect(new TextDecoder().decode(state.forcedBytes())).toBe('{"id":1}');
    expect(state.advance([...special][0] ?? 0, vocabulary)).toBe(undefined);
    expect(state.advance('{')?.canEnd).toBe(false);
  });

  it('refuses arguments of other kinds by name', () => {
    const state = compileRegex('a').start();
    expect(() => state.advance({} as never)).toThrow('text is an object; it must be a string, bytes');
    expect(() => state.mask({} as never)).toThrow('vocabulary is an object; it must be what createVocabulary');
    expect(() => openVocabulary(new Uint8Array(40))).toThrow('a stored vocabulary cannot be used');
    const damaged = vocabulary.toBytes().slice();
    damaged[1000] = (damaged[1000] ?? 0) ^ 1;
    expect(() => openVocabulary(damaged)).toThrow('its checksum differs');
    expect(() => openVocabulary(damaged.subarray(0, 5000))).toThrow('its length is 5000');
    expect(() => createVocabulary([new Uint8Array(5000)])).toThrow('tokens[0] is 5000; it must be at most 4096 bytes');
  });
});
