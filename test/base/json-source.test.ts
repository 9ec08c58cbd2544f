import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberSources } from '../../src/base/index.js';

describe('memberSources', () => {
  it('gives the value of each member as it is written, in the order of the text', () => {
    const text =
      ' { "10" : 1.0 , "2":{"a,b":[1,{"}":2}]},"t\\u006fols": [ -0, 1e3 ] , "x" : "a\\",:}" , "":12345678901234567890}\n';
    expect(Array.from(memberSources(text))).toEqual([
      ['10', '1.0'],
      ['2', '{"a,b":[1,{"}":2}]}'],
      ['tools', '[ -0, 1e3 ]'],
      ['x', '"a\\",:}"'],
      ['', '12345678901234567890'],
    ]);
    expect(memberSources('{ }').size).toBe(0);
  });

  it('agrees with JSON.parse about any object, however it is spaced', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (value, space) => {
        const sources = memberSources(JSON.stringify(value, null, space));
        const parsed = Array.from(sources, ([name, source]) => [name, JSON.parse(source) as unknown]);
        expect(Object.fromEntries(parsed)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
