import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from '../../src/api/index.js';

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text));
const refused = { code: 'json_parse_error' };

describe('the JSON of a body', () => {
  it('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        const value: unknown = JSON.parse(text);
        let parsed: unknown;
        try {
          parsed = parse(text);
        } catch {
          // A repeated key, or half of a surrogate pair: both change when they are read and written again.
          return (
            JSON.stringify(value) !== text.replaceAll(/\s/g, '') ||
            !Buffer.from(text).equals(Buffer.from(text.toWellFormed()))
          );
        }
        expect(parsed).toEqual(value);
        return true;
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['nothing', ''],
    ['white space', ' '],
    ['two values', '1 2'],
    ['a key twice', '{"a":1,"b":{"a":1,"a":2}}'],
    ['a key twice in two spellings', '{"a":1,"\\u0061":2}'],
    ['__proto__ twice', '{"__proto__":1,"\\u005f_proto__":2}'],
    ['1e400', '[1e400]'],
    ['-1e400', '[-1e400]'],
    ['half of a surrogate pair', '"\\ud800"'],
    ['half of one in a key', '{"\\udc00":1}'],
    ['two byte order marks', '\ufeff\ufeff{}'],
    ['a byte order mark and nothing behind it', '\ufeff'],
    ['a byte order mark inside', '{\ufeff}'],
    ['65 levels', '['.repeat(65) + ']'.repeat(65)],
    ['a string that does not end', '{"a":"b'],
    ['a string that ends in an escaped quote', '["\\\\\\"]'],
    ['an object that does not end', '{"a":["}"]'],
    ['a bracket too many', '{"a":[]]}'],
    ['a million open brackets', '['.repeat(1_000_000)],
    ['too many values', `[${'1,'.repeat(600_000)}1]`],
  ])('is refused with %s', (_, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining(refused) as Error);
  });

  it('may have __proto__ as a name, which is no prototype', () => {
    const value = parse('{"a":{"__proto__":{"b":1}},"__proto__":[]}') as object;
    expect(Object.entries(value)).toEqual([
      ['a', JSON.parse('{"__proto__":{"b":1}}')],
      ['__proto__', []],
    ]);
    expect([Reflect.get(value, 'b'), Object.getPrototypeOf(value)]).toEqual([undefined, Object.prototype]);
  });

  it('may begin with a byte order mark', () => {
    expect(parse('\ufeff{"a":"\ufeffb"}')).toEqual({ a: '\ufeffb' });
  });

  it('is refused with the place of a repeated name and of half of a pair', () => {
    const refusal = (text: string): unknown => {
      try {
        return parse(text);
      } catch (error) {
        return error;
      }
    };
    expect(refusal('{"messages":[{"role":"user","content":"\\ud83d"}]}')).toMatchObject({
      message: 'the request body has half of a surrogate pair in a string: messages[0].content, at byte 39',
      details: { param: 'messages[0].content' },
    });
    expect(refusal('{"model":"a","model":"b"}')).toMatchObject({
      message: 'the request body repeats a key: model, at byte 13',
      details: { param: 'model' },
    });
  });

  it('takes 64 levels, long strings, and brackets in strings', () => {
    expect(parse('['.repeat(64) + ']'.repeat(64))).toBeInstanceOf(Array);
    expect(parse(JSON.stringify({ text: '[{"'.repeat(1000) }))).toEqual({ text: '[{"'.repeat(1000) });
  });

  it.each([
    ['ten megabytes of brackets', '['.repeat(10_000_000)],
    ['a string cut off after five million escapes', `{"a":"${'\\\\'.repeat(5_000_000)}`],
    ['ten megabytes cut off inside of an object', `{"a":"${'a'.repeat(10_000_000)}",`],
    ['ten keys of a megabyte, the same', `{${`"${'a'.repeat(1_000_000)}":1,`.repeat(9)}"${'a'.repeat(1_000_000)}":1}`],
  ])('costs under 50 ms of a processor to refuse for %s', (_, text) => {
    const body = Buffer.from(text);
    const times = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage();
      expect(() => parseJsonBody(body)).toThrow(expect.objectContaining(refused) as Error);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    });
    // The best of three: the others' garbage may be collected meanwhile.
    expect(Math.min(...times)).toBeLessThan(50);
  });

  it('survives mutation: parsed or refused, and nothing else', () => {
    const seed = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hé😀' }], temperature: 1.5e-3 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(seed.length), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
        (edits) => {
          const bytes = Buffer.from(seed);
          for (const [at, value] of edits) bytes[at % bytes.length] = value;
          try {
            parseJsonBody(bytes);
          } catch (error) {
            expect(error).toMatchObject(refused);
            expect(String(error)).not.toContain('demo');
          }
          expect(({} as Record<string, unknown>)['polluted']).toBe(undefined);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
