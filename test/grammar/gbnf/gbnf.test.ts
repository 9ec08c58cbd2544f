import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGbnf } from '../../../src/grammar/entry.js';

import { gbnfTexts } from './random-gbnf.js';
import { walkRandomGbnf } from './walk-random-gbnf.js';

/** JSON, as grammars for it are commonly written: groups over several lines, comments, rules that come later. */
const JSON_GBNF = String.raw`
root   ::= object  # the text
value  ::= object | array | string | number | ("true" | "false" | "null") ws

object ::=
  "{" ws (
    string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws

array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9]+)? ws
ws     ::= | " " | "\n" [ \t]{0,20}
`;

describe('texts of a grammar in GBNF', () => {
  it.each<[string, string, string[], string[]]>([
    ['literals and alternatives', 'root ::= "a" "b" | "c"', ['ab', 'c'], ['a', 'abc', '']],
    ['an empty alternative', 'root ::= "a" | ', ['a', ''], ['b']],
    ['an alternative on its own line', 'root ::= "a"\n  | "b"', ['a', 'b'], ['']],
    ['suffixes', 'root ::= "a"* "b"+ "c"?', ['b', 'aabbc'], ['a', 'bcc']],
    ['counts', 'root ::= "a"{2} "b"{1,} "c"{0,2} "d"{ 1 , 3 }', ['aabd', 'aabbbccddd'], ['abd', 'aabcccd', 'aabdddd']],
    ['a suffix of a whole literal and of a group', 'root ::= "ab"{2} ("c" | "d")+', ['ababcd'], ['abb', 'ababab']],
    ['two suffixes', 'root ::= "a"{2}{2}', ['aaaa'], ['aa', 'aaa']],
    ['classes', 'root ::= [a-cx] [^a-c] [-a] [a-] [\\]\\\\]', ['ax-a]', 'xda-\\'], ['dx-a]', 'aa-a]']],
    ['classes over UTF-8', 'root ::= [à-ÿ] [^x] [😀-😎]', ['é€😀', 'ÿ\u{10ffff}😎'], ['ex😀', 'éé😏']],
    ['any character', 'root ::= . .', ['ab', '😀\n'], ['a', 'abc']],
    ['escapes', String.raw`root ::= "\x41\u00e9\U0001F600\n\r\t\"\\\[\]"`, ['Aé😀\n\r\t"\\[]'], ['A']],
    ['rules, also of each other', 'root ::= a-1\na-1 ::= "(" b? ")"\nb ::= a-1', ['()', '(())'], ['(', '(()']],
    ['left recursion', 'root ::= root "+" n | n\nn ::= [0-9]+', ['1', '1+22+3'], ['+1', '1+']],
    [
      'left recursion through others',
      'root ::= a\na ::= b "x" | "y"\nb ::= a "z" | c a\nc ::= ""',
      ['y', 'yx', 'yzx', 'yzxx'],
      ['yz'],
    ],
    ['ambiguity', 'root ::= root root | "a" | "b"?', ['', 'abab'], ['c']],
    ['a rule that is only itself beside others', 'root ::= root | "a"', ['a'], ['', 'aa']],
    ['comments and line ends of Windows', '# one\r\nroot ::= "a" # two\r\n\r\n', ['a'], ['# one']],
    ['JSON', JSON_GBNF, ['{"a": [1, -2.5e3, {"b": "\\u00e9é"}], "c": null}', '{}'], ['[]', '{"a" 1}', '{"a": 01}']],
  ])('%s', (_, text, good, bad) => {
    const grammar = compileGbnf(text);
    for (const one of good) expect([one, grammar.accepts(one)]).toEqual([one, true]);
    for (const one of bad) expect([one, grammar.accepts(one)]).toEqual([one, false]);
  });
});

describe('what is no grammar is refused with its place', () => {
  it.each([
    ['', 'line 1, column 1: there is no rule root'],
    ['a ::= "x"', 'there is no rule root'],
    ['root ::= a', 'line 1, column 10: rule a is named here and nowhere defined'],
    ['root ::= "x"\nroot ::= "y"', 'line 2, column 1: rule root is defined a second time'],
    ['root = "x"', 'line 1, column 6: ::= must follow the name of a rule'],
    ['"x"', 'line 1, column 1: a rule must begin with its name'],
    ['root ::= "x', 'line 1, column 10: this " is never closed'],
    ['root ::= [ab', 'line 1, column 10: this [ is never closed'],
    ['root ::= [a-', 'line 1, column 10: this [ is never closed'],
    ['root ::= []', 'line 1, column 10: this class has no characters'],
    ['root ::= [z-a]', 'line 1, column 11: this range ends before it begins'],
    [String.raw`root ::= [^\x00-\U0010FFFF]`, 'line 1, column 10: this class excludes every character'],
    ['root ::= ("a"', 'line 1, column 14: a ) is missing'],
    ['root ::= "a")', 'line 1, column 13: this cannot stand here'],
    ['root ::= *', 'line 1, column 10: * must follow an item'],
    ['root ::= "a"{', 'line 1, column 14: a number must follow {'],
    ['root ::= "a"{2', 'line 1, column 15: } must follow the numbers of a repetition'],
    ['root ::= "a"{3,2}', 'line 1, column 13: the most of a repetition is less than the least'],
    ['root ::= "a"{9999999}', 'line 1, column 14: a repetition has at most 262144 times'],
    ['root ::= "a"?????', 'an item has more than 4 suffixes'],
    [String.raw`root ::= "\q"`, 'line 1, column 11: an unknown escape'],
    [String.raw`root ::= "\x4"`, String.raw`line 1, column 11: \x needs 2 hexadecimal digits`],
    [String.raw`root ::= "\uD83D"`, 'line 1, column 11: half a surrogate pair is no character'],
    [String.raw`root ::= "\U00110000"`, 'the last character of Unicode is'],
    ['root ::= "a" \\', 'line 1, column 14: this cannot stand here'],
    ['root ::= <think>', 'line 1, column 10: tokens in angle brackets are not supported'],
    [`root ::= ${'('.repeat(200)}`, 'there are more than 100 groups within each other'],
    ['root ::= "😀" "é" }', 'line 1, column 18: this cannot stand here'],
  ])('%s', (text, message) => {
    expect(() => compileGbnf(text)).toThrow(message);
  });

  it('or with what is too much', () => {
    expect(() => compileGbnf(`root ::= "${'a'.repeat(1 << 20)}"`)).toThrow('characters, the limit is 1048576');
    expect(() => compileGbnf('root ::= ("a"{1000}){1000}')).toThrow('states before it is compiled');
    expect(() => compileGbnf('root ::= "a" root')).toThrow('no text satisfies the grammar');
  });
});

it('random texts are grammars or are refused with a code, none takes a second, and what is compiled can be walked', () => {
  fc.assert(fc.property(gbnfTexts, walkRandomGbnf), { numRuns: 500, seed: 20_261_126, endOnFailure: true });
});
