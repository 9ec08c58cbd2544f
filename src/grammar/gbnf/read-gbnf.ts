import { AppError } from '../../base/index.js';
import type { Expression, Grammar } from '../grammar.js';
import {
  complementSet,
  compilePattern,
  createBudget,
  toCodePointSet,
  toUtf8,
  ANY_CODE_POINT,
  type CodePointRanges,
} from '../regular/index.js';
import { Scanner } from './scanner.js';

/** Longer than any hand-written grammar, and than a program's grammar of a schema. */
const MAX_LENGTH = 1 << 20;
/** Groups within each other: they are read by recursion. */
const MAX_DEPTH = 100;
/** Limit of one item's suffixes: each may double its size. */
const MAX_SUFFIXES = 4;
/** More than the automata may have states. */
const MAX_COUNT = 1 << 18;
const NAME = /[A-Za-z0-9_-]+/y;

/**
 * Reads a grammar in GBNF as llama.cpp describes it (grammars/README.md): rules `name ::= alternatives` with literals,
 * classes, `.`, groups, `* + ? {m,n}` and comments; the text follows `root`. Errors: `invalid_grammar` with line and
 * column, `grammar_too_large`.
 */
export function readGbnf(text: string): Grammar {
  if (text.length > MAX_LENGTH) {
    const message = `the grammar has ${text.length} characters, the limit is ${MAX_LENGTH}; make it shorter`;
    throw new AppError('grammar_too_large', message, { limit: MAX_LENGTH });
  }
  return new Reader(text).read();
}

/** A rule that was named. */
interface Named {
  readonly index: number;
  /** Position of its first use. */
  readonly at: number;
  expression?: Expression;
}

class Reader {
  readonly #scanner: Scanner;
  readonly #rules = new Map<string, Named>();
  /** Expressions of classes by their sets: equal ones share an automaton. */
  readonly #classes = new Map<string, Expression>();
  readonly #budget = createBudget();

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  read(): Grammar {
    const scanner = this.#scanner;
    for (scanner.space(true); scanner.next !== ''; scanner.space(true)) this.#readRule();
    const rules = [...this.#rules].map(([name, { expression, at }]): Expression => {
      if (expression === undefined) throw scanner.error(`rule ${shown(name)} is named here and nowhere defined`, at);
      return expression;
    });
    const root = this.#rules.get('root');
    if (root === undefined) throw scanner.error('there is no rule root, which the text follows; define it', 0);
    return { rules, start: root.index };
  }

  #readRule(): void {
    const scanner = this.#scanner;
    const { at } = scanner;
    const name = scanner.match(NAME);
    if (name === '') throw scanner.error('a rule must begin with its name');
    scanner.space(false);
    if (!scanner.skip('::=')) throw scanner.error('::= must follow the name of a rule');
    scanner.space(true);
    const rule = this.#ruleOf(name, at);
    if (rule.expression !== undefined) throw scanner.error(`rule ${shown(name)} is defined a second time`, at);
    rule.expression = this.#readAlternatives(0);
    if (scanner.next !== '' && scanner.match(/[\r\n]/y) === '') {
      throw scanner.error('this cannot stand here; a rule ends with its line, unless a group is open');
    }
  }

  #ruleOf(name: string, at: number): Named {
    const known = this.#rules.get(name);
    if (known !== undefined) return known;
    const rule = { index: this.#rules.size, at };
    this.#rules.set(name, rule);
    return rule;
  }

  #readAlternatives(depth: number): Expression {
    const scanner = this.#scanner;
    if (depth > MAX_DEPTH) throw scanner.error(`there are more than ${MAX_DEPTH} groups within each other`);
    const options = [this.#readSequence(depth)];
    while (scanner.skipToAlternative()) {
      scanner.space(true);
      options.push(this.#readSequence(depth));
    }
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
  }

  #readSequence(depth: number): Expression {
    const parts: Expression[] = [];
    for (let part = this.#readItem(depth); part !== undefined; part = this.#readItem(depth)) {
      let item = part;
      let suffixes = 0;
      this.#scanner.space(depth > 0);
      for (let count = this.#readCount(); count !== undefined; count = this.#readCount()) {
        if (++suffixes > MAX_SUFFIXES) throw this.#scanner.error(`an item has more than ${MAX_SUFFIXES} suffixes`);
        item = { kind: 'repeat', of: item, ...count };
        this.#scanner.space(depth > 0);
      }
      parts.push(item);
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts };
  }

  /** One item without its suffixes; undefined where none begins. */
  #readItem(depth: number): Expression | undefined {
    const scanner = this.#scanner;
    const { at, next } = scanner;
    if (scanner.skip('"')) return this.#readLiteral(at);
    if (scanner.skip('[')) return this.#readClass(at);
    if (scanner.skip('.')) return this.#classOf(ANY_CODE_POINT);
    if (scanner.skip('(')) {
      scanner.space(true);
      const group = this.#readAlternatives(depth + 1);
      scanner.space(true);
      if (!scanner.skip(')')) throw scanner.error('a ) is missing, or something stands here that cannot');
      return group;
    }
    if (next !== '' && '*+?{'.includes(next)) throw scanner.error(`${next} must follow an item`);
    if (next === '<' || next === '!')
      throw scanner.error('tokens in angle brackets are not supported; write their text');
    const name = scanner.match(NAME);
    return name === '' ? undefined : { kind: 'rule', rule: this.#ruleOf(name, at).index };
  }

  #readLiteral(at: number): Expression {
    const scanner = this.#scanner;
    let text = '';
    while (!scanner.skip('"')) {
      if (scanner.next === '') throw scanner.error('this " is never closed', at);
      text += String.fromCodePoint(readCharacter(scanner));
    }
    return { kind: 'bytes', bytes: new TextEncoder().encode(text) };
  }

  #readClass(at: number): Expression {
    const scanner = this.#scanner;
    const isNegated = scanner.skip('^');
    const ranges: [number, number][] = [];
    while (!scanner.skip(']')) {
      const rangeAt = scanner.at;
      if (scanner.next === '') throw scanner.error('this [ is never closed', at);
      const from = readCharacter(scanner);
      const isRange = scanner.match(/-(?!\])/y) !== '';
      if (isRange && scanner.next === '') throw scanner.error('this [ is never closed', at);
      const to = isRange ? readCharacter(scanner) : from;
      if (to < from) throw scanner.error('this range ends before it begins', rangeAt);
      ranges.push([from, to]);
    }
    if (ranges.length === 0) throw scanner.error('this class has no characters', at);
    const set = toCodePointSet(ranges);
    const chosen = isNegated ? complementSet(set) : set;
    if (chosen.length === 0) throw scanner.error('this class excludes every character', at);
    return this.#classOf(chosen);
  }

  #classOf(set: CodePointRanges): Expression {
    const key = set.join();
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const dfa = toUtf8(compilePattern({ kind: 'set', set }, this.#budget), this.#budget);
    const expression: Expression = { kind: 'regular', dfa };
    this.#classes.set(key, expression);
    return expression;
  }

  /** `*`, `+`, `?`, `{m}`, `{m,}` or `{m,n}`; undefined where none of them comes. */
  #readCount(): { min: number; max: number | undefined } | undefined {
    const scanner = this.#scanner;
    const { at } = scanner;
    if (scanner.skip('*')) return { min: 0, max: undefined };
    if (scanner.skip('+')) return { min: 1, max: undefined };
    if (scanner.skip('?')) return { min: 0, max: 1 };
    if (!scanner.skip('{')) return undefined;
    const min = this.#readNumber();
    if (min === undefined) throw scanner.error('a number must follow {');
    const isOpen = scanner.skip(',');
    const max = isOpen ? this.#readNumber() : min;
    if (!scanner.skip('}')) throw scanner.error('} must follow the numbers of a repetition');
    if (max !== undefined && max < min) throw scanner.error('the most of a repetition is less than the least', at);
    return { min, max };
  }

  #readNumber(): number | undefined {
    const scanner = this.#scanner;
    scanner.space(false);
    const { at } = scanner;
    const digits = scanner.match(/\d+/y);
    scanner.space(false);
    if (Number(digits) > MAX_COUNT) throw scanner.error(`a repetition has at most ${MAX_COUNT} times`, at);
    return digits === '' ? undefined : Number(digits);
  }
}

/** A name that fits in a message. */
function shown(name: string): string {
  return name.length <= 64 ? name : `of a name of ${name.length} characters`;
}

/** Digits behind `\x`, `\u` and `\U`. */
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, r: 0x0d };

/** The code point of one character of a literal or a class, which may be an escape. Errors: `invalid_grammar`. */
function readCharacter(scanner: Scanner): number {
  const { at } = scanner;
  const code = scanner.skip('\\') ? readEscape(scanner, at) : (scanner.take().codePointAt(0) ?? 0);
  if (code >= 0xd800 && code <= 0xdfff) {
    throw scanner.error(
      'half a surrogate pair is no character; write the character itself or \\U and eight digits',
      at,
    );
  }
  if (code > 0x10ffff) throw scanner.error('the last character of Unicode is \\U0010FFFF', at);
  return code;
}

function readEscape(scanner: Scanner, at: number): number {
  const letter = scanner.take();
  if (letter === '') throw scanner.error('a backslash stands at the end; write \\\\ for one', at);
  const digits = Object.hasOwn(HEX_DIGITS, letter) ? HEX_DIGITS[letter] : undefined;
  if (digits !== undefined) {
    const hex = scanner.match(new RegExp(`[0-9A-Fa-f]{0,${digits}}`, 'y'));
    if (hex.length < digits) throw scanner.error(`\\${letter} needs ${digits} hexadecimal digits`, at);
    return Number.parseInt(hex, 16);
  }
  const control = Object.hasOwn(CONTROLS, letter) ? CONTROLS[letter] : undefined;
  if (control !== undefined) return control;
  if ('\\"[]-^'.includes(letter)) return letter.codePointAt(0) ?? 0;
  throw scanner.error('an unknown escape; known are \\n \\r \\t \\x \\u \\U \\\\ \\" \\[ \\] \\- \\^', at);
}
