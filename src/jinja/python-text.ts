import { joinBounded } from './limits.js';
import { numberSource } from './number-source.js';

/** A value of @huggingface/jinja as we read it: a type name and its content. */
interface HeldValue {
  readonly type: unknown;
  readonly value: unknown;
}

/** The text that Jinja prints for `value`, a value of the library: Python's `str`, and '' for undefined. */
export function toPythonText(value: unknown): string {
  const { type, value: held } = read(value);
  if (type === 'StringValue') return String(held);
  return type === 'UndefinedValue' ? '' : toRepr(value);
}

/** Python's `repr`. */
function toRepr(value: unknown): string {
  const { type, value: held } = read(value);
  switch (type) {
    case 'StringValue':
      return quote(String(held));
    case 'BooleanValue':
      return held === true ? 'True' : 'False';
    case 'NullValue':
      return 'None';
    case 'UndefinedValue':
      return 'Undefined';
    case 'IntegerValue':
      return numberSource(value) ?? String(held);
    case 'FloatValue':
      return numberSource(value) ?? floatText(Number(held));
    case 'ArrayValue':
      return `[${joinBounded(list(held).map(toRepr), ', ')}]`;
    case 'TupleValue': {
      const items = list(held).map(toRepr);
      return items.length === 1 ? `(${items.join('')},)` : `(${joinBounded(items, ', ')})`;
    }
    case 'ObjectValue':
    case 'KeywordArgumentsValue':
      return held instanceof Map
        ? `{${joinBounded(
            Array.from(held, ([key, item]) => `${quote(String(key))}: ${toRepr(item)}`),
            ', ',
          )}}`
        : '{}';
    default:
      return String(value);
  }
}

/** Type and content of a value of the library. */
export function read(value: unknown): HeldValue {
  if (typeof value !== 'object' || value === null) return { type: 'UndefinedValue', value: undefined };
  return { type: Reflect.get(value, 'type'), value: Reflect.get(value, 'value') };
}

function list(held: unknown): unknown[] {
  return Array.isArray(held) ? held : [];
}

/** Python's quotes: single ones, unless only these occur inside. */
function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\p{Cc}\u2028\u2029]|'/gu, (character) => {
    if (character === "'") return mark === "'" ? "\\'" : "'";
    const short = ESCAPES.get(character);
    if (short !== undefined) return short;
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
  return mark + body + mark;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Python writes 1.0, exponents from 1e16 up and below 1e-4, and at least two digits of exponent. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
