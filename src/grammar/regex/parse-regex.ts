import { complementSet, toCodePointSet, uniteSets, type CodePointRanges } from '../regular/index.js';
import { LINE_TERMINATORS, takeCharacterEscape, takeClassEscape } from './escapes.js';
import type { RegexNode } from './nodes.js';
import { createSource, invalidRegex, type Source } from './source.js';

/** Characters that the source of a regular expression may have. */
export const MAX_REGEX_LENGTH = 20_000;
/** Groups within groups: each is some calls on the stack. */
const MAX_GROUP_DEPTH = 200;

/** State of reading one expression. */
interface Reading {
  readonly source: Source;
  readonly properties: Map<string, CodePointRanges>;
  depth: number;
}

/**
 * Reads an expression of ECMA-262 with the flag u. Where that flag is only stricter, the lenient reading applies: a
 * backslash before punctuation, braces and brackets that stand alone. Errors: `invalid_regex`.
 */
export function parseRegex(text: string): RegexNode {
  if (text.length > MAX_REGEX_LENGTH) {
    throw invalidRegex(`it has ${text.length} characters, and at most ${MAX_REGEX_LENGTH} are read`);
  }
  const source = createSource(text);
  const node = takeChoice({ source, properties: new Map(), depth: 0 });
  if (source.peek() !== '') source.fail('a closing parenthesis has no opening one');
  return node;
}

function takeChoice(reading: Reading): RegexNode {
  if (++reading.depth > MAX_GROUP_DEPTH) reading.source.fail(`groups are nested deeper than ${MAX_GROUP_DEPTH}`);
  const options = [takeSequence(reading)];
  while (reading.source.takeIf('|')) options.push(takeSequence(reading));
  reading.depth--;
  const [only] = options;
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
}

function takeSequence(reading: Reading): RegexNode {
  const parts: RegexNode[] = [];
  while (!['', '|', ')'].includes(reading.source.peek())) parts.push(takeTerm(reading));
  return { kind: 'sequence', parts };
}

function takeTerm(reading: Reading): RegexNode {
  const { source } = reading;
  const assertion = takeAssertion(reading);
  if (assertion !== undefined) {
    if (isQuantifier(source)) source.fail('an assertion cannot be repeated');
    return assertion;
  }
  const atom = takeAtom(reading);
  const bounds = takeQuantifier(source);
  if (bounds === undefined) return atom;
  const [min, max] = bounds;
  source.takeIf('?');
  if (isQuantifier(source)) source.fail('a quantifier has nothing to repeat');
  return { kind: 'repeat', of: atom, min, max };
}

function takeAssertion(reading: Reading): RegexNode | undefined {
  const { source } = reading;
  if (source.takeIf('^')) return { kind: 'assertion', holds: 'start' };
  if (source.takeIf('$')) return { kind: 'assertion', holds: 'end' };
  if (source.takeIf('\\b')) return { kind: 'assertion', holds: 'word-boundary' };
  if (source.takeIf('\\B')) return { kind: 'assertion', holds: 'inside-word' };
  const look = source.takeMatch(/\(\?(<?)([=!])/y);
  if (look === undefined) return undefined;
  const of = takeChoice(reading);
  if (!source.takeIf(')')) source.fail('a group has no closing parenthesis');
  return { kind: 'look', isAhead: look[1] === '', isNegated: look[2] === '!', of };
}

function takeAtom(reading: Reading): RegexNode {
  const { source, properties } = reading;
  if (source.peek() === '(') return takeGroup(reading);
  if (source.takeIf('.')) return { kind: 'set', set: complementSet(LINE_TERMINATORS) };
  if (source.takeIf('[')) return { kind: 'set', set: takeCharacterClass(source, properties) };
  if (source.takeIf('\\')) {
    if (/[1-9k]/.test(source.peek())) source.fail('a backreference is not regular; repeat its group in the pattern');
    const set = takeClassEscape(source, properties);
    if (set !== undefined) return { kind: 'set', set };
    return single(takeCharacterEscape(source));
  }
  if (isQuantifier(source)) source.fail('a quantifier has nothing to repeat');
  return single(source.take().codePointAt(0) ?? 0);
}

function takeGroup(reading: Reading): RegexNode {
  const { source } = reading;
  source.take();
  if (source.peek() === '?') {
    if (source.takeMatch(/\?(?::|<[\p{L}_$][\p{L}\p{N}_$]*>)/uy) === undefined) {
      source.fail('a group begins with (?; only (?:, (?<name>, (?=, (?!, (?<= and (?<! are known');
    }
  }
  const inner = takeChoice(reading);
  if (!source.takeIf(')')) source.fail('a group has no closing parenthesis');
  return inner;
}

function single(codePoint: number): RegexNode {
  return { kind: 'set', set: [codePoint, codePoint] };
}

const BRACES = /\{(\d{1,9})(?:(,)(\d{1,9})?)?\}/y;

function isQuantifier(source: Source): boolean {
  if (['*', '+', '?'].includes(source.peek())) return true;
  return source.peek() === '{' && /[0-9]/.test(source.peek(1)) && bracesFollow(source);
}

/** Whether braces with numbers come next, and not a literal brace. */
function bracesFollow(source: Source): boolean {
  let ahead = 1;
  while (/[0-9,]/.test(source.peek(ahead)) && ahead < 24) ahead++;
  return source.peek(ahead) === '}';
}

function takeQuantifier(source: Source): [min: number, max: number | undefined] | undefined {
  if (source.takeIf('*')) return [0, undefined];
  if (source.takeIf('+')) return [1, undefined];
  if (source.takeIf('?')) return [0, 1];
  const match = source.takeMatch(BRACES);
  if (match === undefined) return undefined;
  const [, low = '', comma, high] = match;
  const min = Number(low);
  const max = comma === undefined ? min : high === undefined ? undefined : Number(high);
  if (max !== undefined && max < min) source.fail('a quantifier has its bounds in the wrong order');
  return [min, max];
}

/** The code points of `[…]`, after its bracket. Errors: `invalid_regex`. */
function takeCharacterClass(source: Source, properties: Map<string, CodePointRanges>): CodePointRanges {
  const isNegated = source.takeIf('^');
  const ranges: [number, number][] = [];
  const sets: CodePointRanges[] = [];
  while (!source.takeIf(']')) {
    const from = takeMember(source, properties);
    if (typeof from !== 'number') {
      sets.push(from);
      continue;
    }
    if (source.peek() !== '-' || source.peek(1) === ']' || source.peek(1) === '') {
      ranges.push([from, from]);
      continue;
    }
    source.take();
    const to = takeMember(source, properties);
    if (typeof to !== 'number') {
      // `[a-\d]`: not a range, so the hyphen is one of the members.
      ranges.push([from, from], [0x2d, 0x2d]);
      sets.push(to);
    } else if (to < from) {
      source.fail('a range of a class ends before it begins');
    } else ranges.push([from, to]);
  }
  const set = uniteSets(toCodePointSet(ranges), ...sets);
  return isNegated ? complementSet(set) : set;
}

/** One code point, or the set of an escape. */
function takeMember(source: Source, properties: Map<string, CodePointRanges>): number | CodePointRanges {
  if (source.peek() === '') return source.fail('a class has no closing bracket');
  if (!source.takeIf('\\')) return source.take().codePointAt(0) ?? 0;
  if (source.takeIf('b')) return 0x08;
  return takeClassEscape(source, properties) ?? takeCharacterEscape(source);
}
