import {
  complementOf,
  unionOf,
  whiteSpace,
  wordCharacters,
  type CategoryLookup,
  type CodePointSet,
} from '../unicode/code-points.js';
import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { MAX_REGEX_DEPTH, MAX_REGEX_UNITS } from '../limits.js';

/** A regular expression as a tree. `look` tests the next character (or the end, which no set holds) without taking it. */
export type OnigurumaNode =
  | { readonly type: 'set'; readonly set: CodePointSet }
  | { readonly type: 'look'; readonly set: CodePointSet; readonly negated: boolean }
  | { readonly type: 'sequence'; readonly parts: readonly OnigurumaNode[] }
  | { readonly type: 'choice'; readonly options: readonly OnigurumaNode[] }
  | {
      readonly type: 'repeat';
      readonly part: OnigurumaNode;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    };

/** Repetitions that may be written as a number: published patterns count to 3; bounds the unrolled program. */
const MAX_COUNT = 1000;

/**
 * Parses the part of Oniguruma's syntax that pre-tokenizers use: classes with Unicode properties, groups, `(?i:…)` over
 * ASCII, greedy and lazy repeats, and look-ahead of one character. The rest is refused by name: `unsupported_tokenizer`;
 * nonsense is `tokenizer_invalid`. Source: Oniguruma doc/RE.
 */
export function parseOniguruma(pattern: string, categoryOf: CategoryLookup, where: string): OnigurumaNode {
  if (pattern.length > MAX_REGEX_UNITS) {
    throw tokenizerInvalid(where, `has ${pattern.length} units, the limit is ${MAX_REGEX_UNITS}`);
  }
  const parser = new RegexParser(pattern, categoryOf, where);
  return parser.parseWhole();
}

class RegexParser {
  readonly #units: readonly string[];
  readonly #categoryOf: CategoryLookup;
  readonly #where: string;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, categoryOf: CategoryLookup, where: string) {
    this.#units = [...pattern];
    this.#categoryOf = categoryOf;
    this.#where = where;
  }

  parseWhole(): OnigurumaNode {
    const node = this.#choice(false);
    if (this.#at < this.#units.length) throw this.#bad('an unmatched )');
    return node;
  }

  #choice(fold: boolean): OnigurumaNode {
    if (++this.#depth > MAX_REGEX_DEPTH) throw this.#bad(`more than ${MAX_REGEX_DEPTH} groups within groups`);
    const options = [this.#sequence(fold)];
    while (this.#take('|')) options.push(this.#sequence(fold));
    this.#depth--;
    return options.length === 1 ? (options[0] as OnigurumaNode) : { type: 'choice', options };
  }

  #sequence(fold: boolean): OnigurumaNode {
    const parts: OnigurumaNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeated(this.#atom(fold)));
    }
    return { type: 'sequence', parts };
  }

  #repeated(part: OnigurumaNode): OnigurumaNode {
    const range = this.#quantifier();
    if (range === undefined) return part;
    const lazy = this.#take('?');
    const next = this.#peek();
    if (next === '+') throw unsupportedTokenizer(this.#where, 'a possessive repeat in a regular expression');
    if (next === '*' || next === '?')
      throw unsupportedTokenizer(this.#where, 'a repeat of a repeat in a regular expression');
    return { type: 'repeat', part, min: range[0], max: range[1], lazy };
  }

  #quantifier(): [number, number] | undefined {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    if (this.#peek() !== '{') return undefined;
    const close = this.#units.indexOf('}', this.#at);
    const body = close < 0 ? '' : this.#units.slice(this.#at + 1, close).join('');
    const match = /^(\d{0,4})(,?)(\d{0,4})$/.exec(body);
    if (match === null || (match[1] === '' && match[3] === '')) return undefined; // a literal brace
    const min = Number(match[1]);
    const max = match[2] === '' ? min : match[3] === '' ? Infinity : Number(match[3]);
    if (min > max || min > MAX_COUNT || (max > MAX_COUNT && max !== Infinity)) throw this.#bad(`the repeat {${body}}`);
    this.#at = close + 1;
    return [min, max];
  }

  #atom(fold: boolean): OnigurumaNode {
    const char = this.#next();
    if (char === '(') return this.#group(fold);
    if (char === '[') return { type: 'set', set: this.#class(fold) };
    if (char === '\\') return { type: 'set', set: this.#fold(this.#escape(), fold) };
    if (char === '.') return { type: 'set', set: complementOf([10, 10]) };
    if (char === '^' || char === '$')
      throw unsupportedTokenizer(this.#where, `the anchor ${char} in a regular expression`);
    if (char === '*' || char === '+' || char === '?') throw this.#bad(`nothing to repeat before ${char}`);
    return { type: 'set', set: this.#fold(single(char), fold) };
  }

  #group(fold: boolean): OnigurumaNode {
    let inner = fold;
    let look: boolean | undefined;
    if (this.#take('?')) {
      const kind = this.#next();
      if (kind === '!' || kind === '=') look = kind === '!';
      else if (kind === 'i' && this.#take(':')) inner = true;
      else if (kind !== ':') throw unsupportedTokenizer(this.#where, `the group (?${kind} in a regular expression`);
    }
    const node = this.#choice(inner);
    if (!this.#take(')')) throw this.#bad('a group without its )');
    if (look === undefined) return node;
    const only = node.type === 'sequence' && node.parts.length === 1 ? node.parts[0] : node;
    if (only?.type !== 'set') throw unsupportedTokenizer(this.#where, 'a look-ahead of more than one character');
    return { type: 'look', set: only.set, negated: look };
  }

  /** The content between `[` and `]`; a class within a class is a union. */
  #class(fold: boolean): CodePointSet {
    if (++this.#depth > MAX_REGEX_DEPTH) throw this.#bad(`more than ${MAX_REGEX_DEPTH} groups within groups`);
    const negated = this.#take('^');
    const sets: CodePointSet[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      const char = this.#next();
      if (char === '[') {
        if (this.#peek() === ':') throw unsupportedTokenizer(this.#where, 'a POSIX class in a regular expression');
        sets.push(this.#class(fold));
        continue;
      }
      if (char === '&' && this.#peek() === '&') throw unsupportedTokenizer(this.#where, 'an intersection of classes');
      const set = char === '\\' ? this.#escape() : single(char);
      const ranges = this.#peek() === '-' && this.#units[this.#at + 1] !== ']' && isSingle(set);
      if (!ranges) {
        sets.push(this.#fold(set, fold));
        continue;
      }
      this.#at++;
      const end = this.#next();
      const last = end === '\\' ? this.#escape() : single(end);
      if (!isSingle(last) || (last[0] as number) < (set[0] as number)) throw this.#bad('a range that runs backwards');
      sets.push(this.#fold([set[0] as number, last[0] as number], fold));
    }
    this.#at++;
    this.#depth--;
    const union = unionOf(sets);
    return negated ? complementOf(union) : union;
  }

  #escape(): CodePointSet {
    const char = this.#next();
    const control = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, e: 27 }[char];
    if (control !== undefined) return [control, control];
    const lower = char.toLowerCase();
    const negate = char !== lower;
    if (lower === 's') return negate ? complementOf(whiteSpace) : whiteSpace;
    if (lower === 'd') return this.#category('Nd', negate);
    if (lower === 'w')
      return negate ? complementOf(wordCharacters(this.#categoryOf)) : wordCharacters(this.#categoryOf);
    if (lower === 'p') return this.#property(negate);
    if (char === 'x' || char === 'u') return this.#hexadecimal(char);
    if (/[A-Za-z0-9]/.test(char)) throw unsupportedTokenizer(this.#where, `\\${char} in a regular expression`);
    return single(char);
  }

  #property(negate: boolean): CodePointSet {
    if (!this.#take('{')) throw this.#bad('\\p without {');
    const flip = this.#take('^');
    let name = '';
    for (let char = this.#next(); char !== '}'; char = this.#next()) name += char;
    return this.#category(name, negate !== flip);
  }

  #category(name: string, negate: boolean): CodePointSet {
    const set = this.#categoryOf(name);
    if (set === undefined) throw unsupportedTokenizer(this.#where, `\\p{${name}} in a regular expression`);
    return negate ? complementOf(set) : set;
  }

  #hexadecimal(kind: string): CodePointSet {
    let digits = '';
    if (this.#take('{')) for (let char = this.#next(); char !== '}'; char = this.#next()) digits += char;
    else for (let i = 0; i < (kind === 'x' ? 2 : 4); i++) digits += this.#next();
    const code = /^[0-9A-Fa-f]{1,6}$/.test(digits) ? Number.parseInt(digits, 16) : Infinity;
    if (code > 0x10ffff) throw this.#bad(`the code point ${digits}`);
    return [code, code];
  }

  /** Simple case folding over ASCII, with the two letters outside it that fold into it: ſ (s) and K (k). */
  #fold(set: CodePointSet, fold: boolean): CodePointSet {
    if (!fold) return set;
    if ((set.at(-1) ?? 0) > 0x7f) throw unsupportedTokenizer(this.#where, '(?i:…) over characters outside ASCII');
    const more: CodePointSet[] = [set];
    for (let code = 97; code <= 122; code++) {
      const inSet = set.some(
        (first, i) => i % 2 === 0 && [code, code - 32].some((c) => first <= c && c <= (set[i + 1] ?? 0)),
      );
      if (!inSet) continue;
      more.push([code - 32, code - 32], [code, code]);
      if (code === 0x73) more.push([0x17f, 0x17f]);
      if (code === 0x6b) more.push([0x212a, 0x212a]);
    }
    return unionOf(more);
  }

  #peek(): string | undefined {
    return this.#units[this.#at];
  }

  #take(char: string): boolean {
    if (this.#units[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    const char = this.#units[this.#at++];
    if (char === undefined) throw this.#bad('the pattern ends too early');
    return char;
  }

  #bad(problem: string): Error {
    return tokenizerInvalid(this.#where, `regular expression: ${problem} (at character ${this.#at})`);
  }
}

function single(char: string): CodePointSet {
  const code = char.codePointAt(0) ?? 0;
  return [code, code];
}

function isSingle(set: CodePointSet): boolean {
  return set.length === 2 && set[0] === set[1];
}
