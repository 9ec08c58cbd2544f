// Python's string methods that @huggingface/jinja lacks, or whose argument it ignores. Strings in, plain data out.

import { checkListLength, checkTextLength, joinBounded, splitText } from './limits.js';
import { read, toPythonText } from './python-text.js';

type Method = (text: string, ...parameters: unknown[]) => string | number | boolean | string[];

/** Methods by name. Methods that lists or dicts have too are absent: a call is chosen by its name alone. */
export const stringMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['strip', (text, set) => stripEnd(stripStart(text, inSet(set)), inSet(set))],
  ['lstrip', (text, set) => stripStart(text, inSet(set))],
  ['rstrip', (text, set) => stripEnd(text, inSet(set))],
  ['split', split],
  ['replace', replace],
  ['removeprefix', (text, prefix) => (text.startsWith(word(prefix)) ? text.slice(word(prefix).length) : text)],
  [
    'removesuffix',
    (text, suffix) => (text.endsWith(word(suffix)) ? text.slice(0, text.length - word(suffix).length) : text),
  ],
  ['join', (text, items) => joinBounded(list(items), text)],
  ['find', (text, part) => text.indexOf(word(part))],
  ['rfind', (text, part) => text.lastIndexOf(word(part))],
  ['splitlines', (text) => text.replace(/\r\n|\r|\n$/, (end) => (end === '\n' ? '' : '\n')).split(/\r\n|\r|\n/)],
  ['capitalize', (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()],
  ['swapcase', (text) => Array.from(text, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join('')],
  ['casefold', (text) => text.replaceAll('ß', 'ss').toLowerCase()],
  ['zfill', (text, to) => zeroFill(text, paddedLength(to))],
  ['ljust', (text, to) => text.padEnd(paddedLength(to))],
  ['rjust', (text, to) => text.padStart(paddedLength(to))],
  ['isdigit', (text) => /^\p{Nd}+$/u.test(text)],
  ['isalpha', (text) => /^\p{L}+$/u.test(text)],
  ['isalnum', (text) => /^[\p{L}\p{N}]+$/u.test(text)],
  ['isspace', (text) => /^\s+$/u.test(text)],
  ['isupper', (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
  ['islower', (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
]);

/** A text without the characters at its start that `isStripped` holds for. */
export function stripStart(text: string, isStripped: (character: string) => boolean): string {
  let start = 0;
  for (const character of text) {
    if (!isStripped(character)) break;
    start += character.length;
  }
  return text.slice(start);
}

/** A text without the characters at its end that `isStripped` holds for. */
export function stripEnd(text: string, isStripped: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0) {
    // A pair of surrogates is one character.
    const pair = end > 1 ? text.slice(end - 2, end) : '';
    const character = (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.charAt(end - 1);
    if (!isStripped(character)) break;
    end -= character.length;
  }
  return text.slice(0, end);
}

/** Whether a character is one of `set`, or white space where no set is given. */
function inSet(set: unknown): (character: string) => boolean {
  if (set === undefined || set === null) return (character) => character.trim() === '';
  const all = new Set(word(set));
  return (character) => all.has(character);
}

/** Python's `str.split`: at white space, or at a text; at most `most` cuts, any number where it is negative. */
function split(text: string, separator: unknown, most: unknown): string[] {
  const [at, cuts] = readOptions([separator, most], ['sep', 'maxsplit']);
  const limit = cuts === undefined || Number(cuts) < 0 ? Infinity : Number(cuts);
  if (at !== undefined && at !== null) {
    if (at === '') throw new TypeError('split was given an empty separator');
    return splitText(text, word(at), limit);
  }
  const parts: string[] = [];
  const rest = text.trimStart();
  for (const { 0: part, index } of rest.matchAll(/\S+/g)) {
    if (parts.length >= limit) {
      parts.push(rest.slice(index));
      break;
    }
    parts.push(part);
    checkListLength(parts.length);
  }
  return parts;
}

/** Python's `str.replace`. An empty `from` is before each character and at the end. */
export function replace(text: string, from: unknown, to: unknown, count: unknown): string {
  const [most] = readOptions([count], ['count']);
  const limit = most === undefined || most === null || Number(most) < 0 ? Infinity : Number(most);
  const parts = word(from) === '' ? beforeEach(text, limit) : splitText(text, word(from), limit);
  return joinBounded(parts, word(to));
}

/** The parts of a text between which an empty text stands. */
function beforeEach(text: string, limit: number): string[] {
  checkListLength(text.length);
  const characters = Array.from(text);
  const parts = ['', ...characters, ''];
  return limit >= parts.length ? parts : [...parts.slice(0, limit), parts.slice(limit).join('')];
}

/** Options by place or by name: names come last, as a Map. */
function readOptions(given: readonly unknown[], names: readonly string[]): unknown[] {
  const named: unknown = given.find((one) => one instanceof Map);
  return names.map((name, place) => {
    const value = named instanceof Map && named.has(name) ? read(named.get(name)).value : given[place];
    return value instanceof Map ? undefined : value;
  });
}

/** Spaces, or zeros, beside a text. Errors: `prompt_too_large`. */
function paddedLength(value: unknown): number {
  checkTextLength(Number(value));
  return Number(value);
}

function zeroFill(text: string, length: number): string {
  const sign = /^[+-]/.test(text) ? text.slice(0, 1) : '';
  return sign + text.slice(sign.length).padStart(length - sign.length, '0');
}

function word(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a string method was given something else than a string');
  return value;
}

/** The strings of a list of the library's values, each with its own under `value`. */
function list(items: unknown): string[] {
  if (typeof items === 'string') return Array.from(items);
  if (!Array.isArray(items)) throw new TypeError('join was given something else than a list');
  return items.map((item: unknown) =>
    word(typeof item === 'object' && item !== null ? Reflect.get(item, 'value') : item),
  );
}

// Filters of texts, which a rewritten template calls with the operand in a list.

/** Jinja's filter `join`, with its operand in a list: items as they print. */
export function joinFilter(operand: unknown, ...parameters: unknown[]): string {
  const { type, value: held } = read(Array.isArray(operand) ? operand[0] : undefined);
  const named: unknown = parameters.at(-1) instanceof Map ? parameters.pop() : undefined;
  const [separator] = named instanceof Map ? [read(named.get('d') ?? named.get('separator')).value] : parameters;
  const items = typeof held === 'string' ? Array.from(held) : held;
  if (!Array.isArray(items)) throw new TypeError(`join was given a ${String(type)}`);
  return joinBounded(
    items.map((item) => (typeof item === 'string' ? item : toPythonText(item))),
    typeof separator === 'string' ? separator : '',
  );
}

/**
 * Jinja's filter `indent`, with its operand in a list: spaces before each line, though not before the first one and empty
 * ones unless `first` and `blank` say so. `width`: a number of spaces, 4 by default, or the text itself.
 */
export function indentFilter(operand: unknown, ...parameters: unknown[]): string {
  const named: unknown = parameters.at(-1) instanceof Map ? parameters.pop() : undefined;
  const [width = 4, first, blank] = ['width', 'first', 'blank'].map((name, place) =>
    named instanceof Map && named.has(name) ? read(named.get(name)).value : parameters[place],
  );
  if (typeof width === 'number') checkTextLength(width);
  const spaces = typeof width === 'string' ? width : ' '.repeat(Number(width));
  const lines = splitText(toPythonText(Array.isArray(operand) ? operand[0] : undefined), '\n');
  const isIndented = (line: string, at: number): boolean =>
    (at > 0 || first === true) && (line !== '' || blank === true);
  const indented = lines.length * spaces.length;
  checkTextLength(indented);
  return joinBounded(
    lines.map((line, at) => (isIndented(line, at) ? spaces + line : line)),
    '\n',
  );
}

/** Jinja's filter `replace`, with its operand in a list: as Python's `str.replace`, of the text that the operand prints. */
export function replaceFilter(operand: unknown, from: unknown, to: unknown, count: unknown): string {
  return replace(toPythonText(Array.isArray(operand) ? operand[0] : undefined), from, to, count);
}
