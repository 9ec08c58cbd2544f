import {
  computedNumber,
  fromText,
  isRuntimeValue,
  joinLists,
  toRuntimeValue,
  type RuntimeValue,
} from './runtime-values.js';
import { toPythonText } from './python-text.js';
import { stripEnd, stripStart } from './string-methods.js';

/** A function of a template that is given values of the library as they are, and gives one. */
export type RawFunction = (args: readonly RuntimeValue[]) => RuntimeValue;

const COMPARISONS: ReadonlyMap<string, (a: number) => boolean> = new Map([
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
]);
/** Kinds of values in words, for a message. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['StringValue', 'text'],
  ['IntegerValue', 'a number'],
  ['FloatValue', 'a number'],
  ['BooleanValue', 'true or false'],
  ['NullValue', 'none'],
  ['UndefinedValue', 'something undefined'],
  ['ArrayValue', 'a list'],
  ['TupleValue', 'a tuple'],
  ['ObjectValue', 'an object'],
]);

/** Our operators, and the functions that replace them, which get both sides. */
export const operators: ReadonlyMap<string, { readonly name: string; readonly run: RawFunction }> = new Map([
  ['==', { name: '__equal', run: ([a, b]) => toRuntimeValue(isEqual(a, b)) }],
  ['!=', { name: '__unequal', run: ([a, b]) => toRuntimeValue(!isEqual(a, b)) }],
  ['in', { name: '__in', run: ([a, b]) => toRuntimeValue(isIn('in', a, b)) }],
  ['not in', { name: '__not_in', run: ([a, b]) => toRuntimeValue(!isIn('not in', a, b)) }],
  ['+', { name: '__add', run: ([a, b]) => add(a, b) }],
  ['<', { name: '__less', run: ([a, b]) => compare('<', a, b) }],
  ['<=', { name: '__less_equal', run: ([a, b]) => compare('<=', a, b) }],
  ['>', { name: '__greater', run: ([a, b]) => compare('>', a, b) }],
  ['>=', { name: '__greater_equal', run: ([a, b]) => compare('>=', a, b) }],
]);

/** Python's `==`: true is 1, a text is never a number, lists and objects are equal by content. */
function isEqual(a: RuntimeValue | undefined, b: RuntimeValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined) return x === y;
  if (a.type !== b.type) return false;
  if (Array.isArray(a.value) && Array.isArray(b.value)) {
    const [left, right]: unknown[][] = [a.value, b.value];
    return left?.length === right?.length && left?.every((item, i) => areEqual(item, right?.[i])) === true;
  }
  if (a.type === 'ObjectValue' && a.value instanceof Map && b.value instanceof Map) {
    const [left, right]: ReadonlyMap<unknown, unknown>[] = [a.value, b.value];
    if (left?.size !== right?.size) return false;
    return [...(left ?? [])].every(([key, item]) => right?.has(key) === true && areEqual(item, right.get(key)));
  }
  return a.type === 'NullValue' || a.type === 'UndefinedValue' || a.value === b.value;
}

function areEqual(a: unknown, b: unknown): boolean {
  return isRuntimeValue(a) && isRuntimeValue(b) && isEqual(a, b);
}

/** Python's `in`. An undefined value contains nothing. */
function isIn(operator: string, a: RuntimeValue | undefined, b: RuntimeValue | undefined): boolean {
  if (a === undefined || b === undefined || b.type === 'UndefinedValue') return false;
  if (Array.isArray(b.value)) return b.value.some((item: unknown) => isRuntimeValue(item) && isEqual(a, item));
  if (typeof b.value === 'string' && typeof a.value === 'string') return b.value.includes(a.value);
  // Lists and objects are no keys.
  if (b.value instanceof Map && typeof a.value !== 'object') return typeof a.value === 'string' && b.value.has(a.value);
  if (b.value instanceof Map && a.value === null) return false;
  throw mismatch(operator, a, b);
}

function compare(operator: string, a: RuntimeValue | undefined, b: RuntimeValue | undefined): RuntimeValue {
  const test = COMPARISONS.get(operator);
  const order = a === undefined || b === undefined ? undefined : orderOf(a, b);
  if (test === undefined || order === undefined) throw mismatch(operator, a, b);
  return toRuntimeValue(test(order));
}

/** Less than 0 where `a` is before `b`, NaN where no order holds; undefined for values that have none. */
function orderOf(a: RuntimeValue, b: RuntimeValue): number | undefined {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x === y ? 0 : x - y;
  // Python's order is by code points, which UTF-8 keeps.
  if (typeof a.value === 'string' && typeof b.value === 'string') {
    return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));
  }
  if (a.type !== b.type || !Array.isArray(a.value) || !Array.isArray(b.value)) return undefined;
  const [left, right]: unknown[][] = [a.value, b.value];
  const at = left?.findIndex((item, i) => !areEqual(item, right?.[i])) ?? -1;
  const [first, second]: unknown[] = [left?.[at], right?.[at]];
  if (isRuntimeValue(first) && isRuntimeValue(second)) return orderOf(first, second);
  return (left?.length ?? 0) - (right?.length ?? 0);
}

/** Python's `+`: texts, numbers, lists. An object is added to a text as its JSON: published templates take it for that. */
function add(a: RuntimeValue | undefined, b: RuntimeValue | undefined): RuntimeValue {
  if (a === undefined || b === undefined) throw mismatch('+', a, b);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined)
    return computedNumber(
      x + y,
      [a, b].some(({ type }) => type === 'FloatValue'),
    );
  const [left, right] = [textOf(a), textOf(b)];
  if (left !== undefined && right !== undefined && [a, b].some(({ type }) => type === 'StringValue')) {
    return fromText(left + right);
  }
  const joined = a.type === b.type ? joinLists(a, b) : undefined;
  if (joined === undefined) throw mismatch('+', a, b);
  return joined;
}

function textOf({ type, value }: RuntimeValue): string | undefined {
  if (typeof value === 'string') return value;
  return type === 'ObjectValue' ? String(value) : undefined;
}

function numberOf({ type, value }: RuntimeValue): number | undefined {
  if (type === 'BooleanValue') return value === true ? 1 : 0;
  return type === 'IntegerValue' || type === 'FloatValue' ? Number(value) : undefined;
}

function mismatch(operator: string, a: RuntimeValue | undefined, b: RuntimeValue | undefined): TypeError {
  const [left, right] = [a, b].map((value) => KINDS.get(value?.type ?? 'UndefinedValue') ?? 'another kind of value');
  return new TypeError(`${operator} was given ${left} and ${right}`);
}

/** Jinja's filter `trim` of a value as it prints, so that none is `None`. Named or second: the characters to strip instead. */
export const trimFilter: RawFunction = ([value, given]) => {
  const named: unknown =
    given?.type === 'KeywordArgumentsValue' && given.value instanceof Map ? given.value.get('chars') : given;
  const characters = isRuntimeValue(named) && typeof named.value === 'string' ? new Set(named.value) : undefined;
  const text = toPythonText(value);
  const isStripped = (character: string): boolean => characters?.has(character) ?? isPythonSpace(character);
  return fromText(stripEnd(stripStart(text, isStripped), isStripped));
};

/** White space of Python's `str.isspace`: that of JavaScript without the byte order mark, and separators of ASCII. */
function isPythonSpace(character: string): boolean {
  const code = character.charCodeAt(0);
  return code === 0x85 || (code >= 0x1c && code <= 0x1f) || (code !== 0xfeff && /^\s$/.test(character));
}
