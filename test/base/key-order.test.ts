import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  keyOrdersOf,
  keysInOrder,
  mapInOrder,
  parseInOrder,
  restoreKeyOrders,
  stringifyInOrder,
} from '../../src/base/index.js';

/** Names as JavaScript orders them by itself, and others. */
const name = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toJSON',
    '01',
    '-1',
    '1.5',
    '4294967295',
    '4294967294',
    '\u0661',
    '"1":',
  ),
  fc.nat(50).map(String),
  fc.string({ maxLength: 3 }),
);
/** JSON text whose objects have each name once. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('1', 'null', 'true', '"x"', '"\\"2\\":"', '{}', '[]'),
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(name, tie('json')), { maxLength: 6, selector: ([key]) => key })
      .map((members) => `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`),
  ),
}));

const read = (text: string): object => ({ value: parseInOrder(text) });
const written = (value: object): string => stringifyInOrder(value).slice('{"value":'.length, -1);

describe('the order of names', () => {
  it('of any JSON text is what is written again', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(written(read(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('comes back to a structured clone', () => {
    fc.assert(
      fc.property(json, (text) => {
        const value = read(text);
        const message = structuredClone({ value, orders: keyOrdersOf(value) });
        restoreKeyOrders(message.orders);
        expect(written(message.value)).toBe(text);
      }),
    );
  });

  it('of escaped names is kept, and the value is that of JSON.parse', () => {
    const text = '{"\\u0032":{"\\u005f_proto__":0},"1":[{"b":1,"0":2}]}';
    const value = parseInOrder(text);
    expect(value).toEqual(JSON.parse(text));
    expect(stringifyInOrder(value as object)).toBe('{"2":{"__proto__":0},"1":[{"b":1,"0":2}]}');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('stays where values are changed, and is left where members come or go', () => {
    const value = parseInOrder('{"2":1,"__proto__":2,"1":3}') as Record<string, unknown>;
    expect(stringifyInOrder(mapInOrder(value, (item, key) => [key, item]))).toBe(
      '{"2":["2",1],"__proto__":["__proto__",2],"1":["1",3]}',
    );
    expect(keysInOrder(value)).toEqual(['2', '__proto__', '1']);
    value['0'] = 4;
    expect(keysInOrder(value)).toEqual(['0', '1', '2', '__proto__']);
  });

  it('of text that nests deeper than any request is not read', () => {
    const deep = `${'['.repeat(100_000)}{"2":0,"1":0}${']'.repeat(100_000)}`;
    expect(keyOrdersOf(parseInOrder(deep))).toEqual([]);
  });
});
