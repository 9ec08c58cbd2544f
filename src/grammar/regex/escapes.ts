import { complementSet, toCodePointSet, WORD, type CodePointRanges } from '../regular/index.js';
import type { Source } from './source.js';

/** ECMA-262, LineTerminator: the characters that `.` does not match. */
export const LINE_TERMINATORS: CodePointRanges = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029];
const DIGIT: CodePointRanges = [0x30, 0x39];
/** ECMA-262, WhiteSpace and LineTerminator. */
const SPACE: CodePointRanges = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f,
  0x3000, 0x3000, 0xfeff, 0xfeff,
];
const CLASS_ESCAPES: Readonly<Record<string, CodePointRanges>> = {
  d: DIGIT,
  D: complementSet(DIGIT),
  w: WORD,
  W: complementSet(WORD),
  s: SPACE,
  S: complementSet(SPACE),
};
const CONTROL_ESCAPES: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d };

/** The code points of `\d`, `\p{…}` and similar escapes, after their backslash; undefined for an escape of another kind. */
export function takeClassEscape(source: Source, properties: Map<string, CodePointRanges>): CodePointRanges | undefined {
  const letter = source.peek();
  if (Object.hasOwn(CLASS_ESCAPES, letter)) return CLASS_ESCAPES[source.take()];
  if (letter !== 'p' && letter !== 'P') return undefined;
  source.take();
  const name = source.takeMatch(/\{([^{}]{1,64})\}/y)?.[1];
  if (name === undefined) return source.fail(`\\${letter} needs the name of a Unicode property, as in \\p{L}`);
  const set = properties.get(name) ?? propertySet(name);
  if (set === undefined) return source.fail(`there is no Unicode property ${name}`);
  properties.set(name, set);
  return letter === 'p' ? set : complementSet(set);
}

/** The code point of an escape, after its backslash. Errors: `invalid_regex`. */
export function takeCharacterEscape(source: Source): number {
  const letter = source.take();
  const control = CONTROL_ESCAPES[letter];
  if (control !== undefined) return control;
  if (letter === '0') {
    if (/[0-9]/.test(source.peek())) return source.fail('an octal escape is not ECMA-262 with the flag u');
    return 0;
  }
  if (letter === 'c') {
    const match = source.takeMatch(/[A-Za-z]/y);
    return match === undefined ? source.fail('\\c needs a letter') : match[0].charCodeAt(0) % 32;
  }
  if (letter === 'x') {
    const match = source.takeMatch(/[0-9a-fA-F]{2}/y);
    return match === undefined ? source.fail('\\x needs two hexadecimal digits') : Number.parseInt(match[0], 16);
  }
  if (letter === 'u') return takeUnicodeEscape(source);
  // With the flag u only syntax characters may be escaped; patterns that people write escape others too, and mean them.
  if (letter === '' || /[A-Za-z0-9]/.test(letter)) {
    return source.fail(`\\${letter} is no escape of ECMA-262; anchors are ^ and $`);
  }
  return letter.codePointAt(0) ?? 0;
}

function takeUnicodeEscape(source: Source): number {
  const pair = source.takeMatch(/([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/y);
  if (pair !== undefined) {
    const [, high = '', low = ''] = pair;
    return 0x10000 + ((Number.parseInt(high, 16) & 0x3ff) << 10) + (Number.parseInt(low, 16) & 0x3ff);
  }
  const match = source.takeMatch(/\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{4})/y);
  const codePoint = Number.parseInt(match?.[1] ?? match?.[2] ?? '', 16);
  if (!(codePoint <= 0x10ffff)) return source.fail('\\u needs four hexadecimal digits, or a code point in braces');
  return codePoint;
}

/** Code points of one text that a property is looked for in: a plane. */
const PLANE = 0x10000;

/** The code points of a Unicode property as `\p{name}` has them; undefined for one that ECMA-262 does not know. */
function propertySet(name: string): CodePointRanges | undefined {
  if (!/^[A-Za-z_]+(?:=[A-Za-z0-9_]+)?$/.test(name)) return undefined;
  const runs = tryRegExp(`\\p{${name}}+`);
  if (runs === undefined) return undefined;
  const ranges: [number, number][] = [];
  addRuns(0, 0xd800, runs, ranges);
  addRuns(0xe000, PLANE, runs, ranges);
  for (let plane = 1; plane <= 16; plane++) addRuns(plane * PLANE, (plane + 1) * PLANE, runs, ranges);
  return toCodePointSet(ranges);
}

/** Adds the ranges of `runs` among the code points from `first` to before `past`, which are all of one width. */
function addRuns(first: number, past: number, runs: RegExp, ranges: [number, number][]): void {
  const width = first < PLANE ? 1 : 2;
  const units = new Uint16Array((past - first) * width);
  for (let i = 0; i < past - first; i++) {
    const offset = first + i - PLANE;
    if (width === 1) units[i] = first + i;
    else {
      units[2 * i] = 0xd800 + (offset >> 10);
      units[2 * i + 1] = 0xdc00 + (offset & 0x3ff);
    }
  }
  const text = new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
  for (const { 0: run, index } of text.matchAll(runs)) {
    const from = first + index / width;
    ranges.push([from, from + run.length / width - 1]);
  }
}

/** Names of properties are checked by the machine that knows them all. */
function tryRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'gu');
  } catch {
    return undefined;
  }
}
