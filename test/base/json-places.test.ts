import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonToken } from '../../src/base/index.js';
import { positionOfLoneSurrogate, positionOfRepeatedKey } from '../../src/base/json/json-places.js';

describe('the place in a JSON text', () => {
  it('of a repeated name is its second mention', () => {
    const cases: readonly (readonly [text: string, path: string, byte: number])[] = [
      ['{"a":1,"a":2}', 'a', 7],
      ['{"é":"ü","b":[{},{"c":[1,2],"c":3}]}', 'b[1].c', 30],
      ['{"a":{"a":1,"b":{"a":1}},"\\u0061":2}', 'a', 25],
      ['[[{"x":"\\"{[,:","x":1}]]', '[0][0].x', 16],
      [' { "a" : 1 , "a" : 2 } ', 'a', 13],
      ['{"my secret words":1,"my secret words":2}', '…', 21],
      ['{"constructor":1,"__proto__":2,"constructor":3}', 'constructor', 31],
    ];
    for (const [text, path, byte] of cases) expect(positionOfRepeatedKey(text), text).toEqual({ path, byte });
    expect(positionOfRepeatedKey('{"a":[{"a":1},{"a":1}],"b":"a"}')).toBeUndefined();
  });

  it('of half of a surrogate pair is the escape', () => {
    const cases: readonly (readonly [text: string, path: string, byte: number])[] = [
      ['"\\ud83d"', '', 1],
      ['{"a":["é","x\\ud83d\\ude00\\ude00"]}', 'a[1]', 25],
      ['{"a":"\\\\ud83d\\ud83dx"}', 'a', 13],
      ['{"a":"\\ud83d\\ud83d\\ude00"}', 'a', 6],
      ['{"\\udc00":1}', '…', 2],
    ];
    for (const [text, path, byte] of cases) expect(positionOfLoneSurrogate(text), text).toEqual({ path, byte });
    expect(positionOfLoneSurrogate('{"a":"\\ud83d\\ude00 \\\\ud83d 😀"}')).toBeUndefined();
  });

  it('is found for every scalar, with the path by which JSON.parse reaches it', () => {
    const value = fc.jsonValue({ maxDepth: 5 });
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, '\t'), (any, space) => {
        const text = JSON.stringify(any, null, space);
        const root: unknown = JSON.parse(text);
        let count = 0;
        findJsonToken(text, ({ kind, path, start, end }) => {
          if (kind === 'key') return false;
          count++;
          const reached = path.reduce((at: unknown, step) => Reflect.get(at as object, step), root);
          expect(JSON.parse(text.slice(start, end))).toEqual(reached);
          return false;
        });
        const leaves = (at: unknown): number =>
          typeof at === 'object' && at !== null
            ? Object.values(at).reduce((sum: number, each) => sum + leaves(each), 0)
            : 1;
        expect(count).toBe(leaves(root));
      }),
      { numRuns: 500 },
    );
  });
});
