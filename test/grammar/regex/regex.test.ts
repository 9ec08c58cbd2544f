import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../../src/base/index.js';
import { compileRegex, readRegex } from '../../../src/grammar/regex/index.js';
import { acceptsText, createBudget } from '../../../src/grammar/regular/index.js';
import { dfaAccepts } from '../run-dfa.js';
import { expectCpuWithin } from '../../support/elapsed.js';

/**
 * What JavaScript makes of the same source. A part is looked for at each code point by a sticky expression: V8's own
 * search also tries the middle of a surrogate pair, against ECMA-262 22.2.7.2, and finds `\B` in `a😀a` there.
 */
function expected(source: string, text: string, anchored: boolean): boolean {
  if (anchored) {
    return new RegExp(`^(?:${source})$`, 'u').test(text);
  }
  const expression = new RegExp(source, 'uy');
  const starts = [...text].reduce<number[]>((list, character) => [...list, (list.at(-1) ?? 0) + character.length], [0]);
  return starts.some((start) => {
    expression.lastIndex = start;
    return expression.test(text);
  });
}

function codeOf(action: () => unknown): { code: string; message: string } {
  try {
    action();
  } catch (error) {
    return isAppError(error) ? error : { code: 'other', message: String(error) };
  }
  return { code: 'none', message: '' };
}

const SOURCES: readonly string[] = [
  'a',
  '^a',
  'a$',
  '^a$',
  '^$',
  '',
  'a|b',
  '^(a|b)$',
  '^a|b$',
  '(^|x)a',
  'a(x|$)',
  '(?:^a)+',
  '(a$|b)*',
  'a^b',
  '$a',
  '[abc]',
  '[^abc]',
  '[a-c-]',
  '[-a]',
  '[\\d-]',
  '[\\w.-]',
  '[^\\s]',
  '.',
  '^.$',
  '\\d+',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  'a*',
  'a+b',
  'a?b',
  'a{2}',
  '^a{2,3}$',
  '^(?:ab){2,}$',
  'a*?b',
  'a+?',
  'a??b',
  '^(a+)+$',
  '^(a|a)*b$',
  '\\ba',
  'a\\b',
  '\\Ba',
  'a\\B',
  '\\b',
  '^\\b',
  '\\b$',
  '(\\ba|b)+',
  '\\B',
  'a\\bb',
  '(?=a)a',
  '^(?=.*a)(?=.*b).{2,4}$',
  '^(?!ab)',
  '(?!a)b',
  '^(?!.*aa).*$',
  'x(?=ab)',
  'x(?!a)',
  'x(?=a)(?!ab).',
  '^(?:(?=a)ab|(?!b)c)$',
  '(?<=a)b',
  '(?<!a)b',
  '^.*(?<!b)$',
  'a(?<=a)b',
  '(?<=^a)b',
  '(?<!^)b',
  '(x|(?=a))ab',
  '\\u0061',
  '\\x61',
  '\\u{61}',
  '\\ud83d\\ude00',
  '\\u{1F600}',
  '😀',
  '^[😀-😂]$',
  '\\p{L}',
  '\\P{L}',
  '^\\p{Lu}+$',
  '\\p{Script=Greek}',
  '[\\p{L}\\d]',
  '\\cJ',
  '\\t',
  '\\0',
  '\\/',
  '\\.',
  '(?<year>a)b',
];
const TEXTS = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'x', ' ', '-', '\n', '1', 'é', 'α', '😀', '.', '/', 'A'),
  maxLength: 6,
});

describe('regular expressions', () => {
  it.each(SOURCES)('%j matches what it matches in JavaScript, as a part and as a whole', (source) => {
    for (const anchored of [false, true]) {
      const automaton = compileRegex(source, { anchored }, createBudget());
      fc.assert(
        fc.property(TEXTS, (text) => {
          expect([text, acceptsText(automaton, text)]).toEqual([text, expected(source, text, anchored)]);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('of random parts match what they match in JavaScript', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '[ab]',
      '.',
      '\\b',
      '^',
      '$',
      '(?:a|b)',
      '(a|)',
      '\\w',
      '(?=a)',
      '(?!b)',
      '(?<=a)',
      '(?<!b)',
    );
    const piece = fc
      .tuple(part, fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}'))
      .map(([of, quantifier]) => (/^(?:\\b|\^|\$|\(\?<?[=!])/.test(of) ? of : of + quantifier));
    let used = 0;
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 5 }),
        fc.boolean(),
        fc.array(TEXTS, { maxLength: 6 }),
        (pieces, anchored, texts) => {
          const source = pieces.join('');
          let automaton;
          try {
            automaton = compileRegex(source, { anchored }, createBudget());
          } catch (error) {
            expect(isAppError(error) && error.code).toBe('invalid_regex');
            return;
          }
          used++;
          for (const text of texts) {
            expect([source, text, acceptsText(automaton, text)]).toEqual([
              source,
              text,
              expected(source, text, anchored),
            ]);
          }
        },
      ),
      { numRuns: 1_500 },
    );
    expect(used).toBeGreaterThan(1_000);
  });

  it.each([
    ['(a)\\1', 'backreference'],
    ['(?<n>a)\\k<n>', 'backreference'],
    ['(', 'no closing parenthesis'],
    [')', 'no opening one'],
    ['[a', 'no closing bracket'],
    ['a**', 'nothing to repeat'],
    ['*', 'nothing to repeat'],
    ['a{3,2}', 'wrong order'],
    ['[b-a]', 'ends before it begins'],
    ['\\p{Nothing}', 'no Unicode property Nothing'],
    ['\\Aa\\Z', 'anchors are ^ and $'],
    ['(?i)a', 'begins with (?'],
    ['(?:(?=a)b)*', 'within a repetition'],
    ['(?=^a)', 'asks what is before it'],
    ['a'.repeat(20_001), 'at most 20000'],
    ['('.repeat(300), 'nested deeper'],
  ])('%j is refused by name', (source, part) => {
    const { code, message } = codeOf(() => readRegex(source, { anchored: false }));
    expect(code).toBe('invalid_regex');
    expect(message).toContain(part);
  });

  it('that take time or memory without end elsewhere compile or are refused within a second', () => {
    const hostile = [
      '^(a+)+$',
      '^(a|aa)+$',
      '^(.*a){20}$',
      '(x+x+)+y',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '.{0,30000}',
      '(a{1000}){1000}',
      '(a|b)*a(a|b){30}',
      '\\p{L}{500}',
    ];
    // A slow machine takes longer for what it compiles, too: some 60,000 states of the 100,000 that are allowed.
    const allowedMs = (): number => {
      const start = process.cpuUsage();
      readRegex('\\p{L}{60}', { anchored: false });
      return Math.max(1_000, (process.cpuUsage(start).user / 1_000) * 4);
    };
    for (const source of hostile) {
      const { code } = expectCpuWithin(allowedMs, () => codeOf(() => readRegex(source, { anchored: false })));
      expect([source, ['none', 'grammar_too_large'].includes(code)]).toEqual([source, true]);
    }
  });

  it('are read as automata over UTF-8', () => {
    const dfa = readRegex('[é-😀]+z', { anchored: true });
    expect(dfaAccepts(dfa, 'é€😀z')).toBe(true);
    expect(dfaAccepts(dfa, 'ez')).toBe(false);
    expect(codeOf(() => readRegex('a$b', { anchored: true })).message).toContain('no text matches');
  });
});
