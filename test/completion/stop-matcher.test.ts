import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StopMatcher } from '../../src/completion/choices/stop-matcher.js';

/** The slow twin: the text before the stop string that ends first, the longest of those that end there. */
function cut(text: string, stops: readonly string[]): string {
  for (let end = 1; end <= text.length; end++) {
    const found = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    if (found.length > 0) return text.slice(0, end - Math.max(...found.map((stop) => stop.length)));
  }
  return text;
}

describe('StopMatcher', () => {
  it('equals a plain search however the text is split', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c') });
    const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(letters, stops, fc.integer({ min: 1, max: 4 }), (text, strings, size) => {
        const matcher = new StopMatcher(strings);
        let out = '';
        for (let at = 0; at < text.length; at += size) out += matcher.push(text.slice(at, at + size));
        if (!matcher.hit) out += matcher.flush();
        expect(out).toBe(cut(text, strings));
      }),
      { numRuns: 2000 },
    );
  });

  it('holds back only what may become a stop string', () => {
    const matcher = new StopMatcher(['abcd', 'bce']);
    expect([matcher.push('xab'), matcher.push('c'), matcher.push('f'), matcher.flush()]).toEqual(['x', '', 'abcf', '']);
  });

  it('says which string it found: of those that end in one place, the longest', () => {
    const matcher = new StopMatcher(['b', 'ab', 'c']);
    expect([matcher.hit, matcher.push('xa'), matcher.hit]).toEqual(['', 'x', '']);
    expect([matcher.push('bc'), matcher.hit]).toEqual(['', 'ab']);
  });
});
