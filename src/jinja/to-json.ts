import { checkTextLength, joinBounded, MAX_SPLIT_LENGTH, MAX_TEXT_LENGTH } from './limits.js';
import { floatText, read } from './python-text.js';
import { numberSource } from './number-source.js';

interface JsonStyle {
  readonly ensureAscii: boolean;
  /** The indent of one level; undefined: all on one line. */
  readonly indent: string | undefined;
  readonly separators: readonly [string, string];
  readonly sortKeys: boolean;
}

const PARAMETERS = ['ensure_ascii', 'indent', 'separators', 'sort_keys'] as const;

/**
 * The filter `tojson` of transformers, which is Python's json.dumps without escapes for HTML. Called by a rewritten template
 * with the operand in a list and then the filter's own arguments; keywords come last, as a Map. Numbers print as they were
 * written, undefined as null.
 */
export function toJsonFilter(values: unknown, ...parameters: unknown[]): string {
  const named: unknown = parameters.at(-1) instanceof Map ? parameters.pop() : undefined;
  const [ensureAscii, indent, separators, sortKeys] = PARAMETERS.map((name, position) =>
    named instanceof Map && named.has(name) ? read(named.get(name)).value : parameters[position],
  );
  if (typeof indent === 'number') checkTextLength(indent);
  const levels = typeof indent === 'number' ? ' '.repeat(indent) : typeof indent === 'string' ? indent : undefined;
  const style: JsonStyle = {
    ensureAscii: Boolean(ensureAscii),
    indent: levels,
    separators: toSeparators(separators) ?? [levels === undefined ? ', ' : ',', ': '],
    sortKeys: Boolean(sortKeys),
  };
  return write(Array.isArray(values) ? values[0] : undefined, style, '\n');
}

function toSeparators(given: unknown): readonly [string, string] | undefined {
  if (given === undefined || given === null) return undefined;
  const [item, key] = Array.isArray(given) ? given.map((one) => read(one).value) : [];
  if (typeof item === 'string' && typeof key === 'string') return [item, key];
  throw new TypeError('separators of tojson must be two strings');
}

/** `newline`: a line's end and the indentation of the line after it. */
function write(value: unknown, style: JsonStyle, newline: string): string {
  const { type, value: held } = read(value);
  switch (type) {
    case 'NullValue':
    case 'UndefinedValue':
      return 'null';
    case 'BooleanValue':
      return String(held);
    case 'IntegerValue':
      return numberSource(value) ?? String(held);
    case 'FloatValue':
      return numberSource(value) ?? toJsonFloat(Number(held));
    case 'StringValue':
      return quote(String(held), style);
    case 'ArrayValue':
    case 'TupleValue': {
      const items = Array.isArray(held) ? (held as unknown[]) : [];
      return writeAll('[]', items, (item, inner) => write(item, style, inner), style, newline);
    }
    case 'ObjectValue':
    case 'KeywordArgumentsValue':
    case 'NamespaceValue': {
      const entries = held instanceof Map ? Array.from(held as Map<string, unknown>) : [];
      if (style.sortKeys) entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const member = ([key, item]: [string, unknown], inner: string): string =>
        quote(key, style) + style.separators[1] + write(item, style, inner);
      return writeAll('{}', entries, member, style, newline);
    }
    default:
      throw new TypeError(`tojson was given a ${String(type)}`);
  }
}

function writeAll<T>(
  brackets: string,
  items: readonly T[],
  writeOne: (item: T, newline: string) => string,
  { indent, separators: [separator] }: JsonStyle,
  newline: string,
): string {
  if (items.length === 0) return brackets;
  const inner = indent === undefined ? '' : newline + indent;
  checkTextLength(inner.length);
  const all = joinBounded(
    items.map((item) => inner + writeOne(item, inner)),
    separator,
  );
  return brackets.charAt(0) + all + (indent === undefined ? '' : newline) + brackets.charAt(1);
}

function quote(text: string, { ensureAscii }: JsonStyle): string {
  // A character becomes six at most.
  if (text.length > (ensureAscii ? MAX_SPLIT_LENGTH : MAX_SPLIT_LENGTH * 4))
    checkTextLength(MAX_TEXT_LENGTH + text.length);
  const quoted = JSON.stringify(text);
  if (!ensureAscii) return quoted;
  return quoted.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Python writes what JSON lacks as JavaScript does. */
function toJsonFloat(value: number): string {
  return Number.isFinite(value) ? floatText(value) : String(value);
}
