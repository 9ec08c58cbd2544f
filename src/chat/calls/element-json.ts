import { repairJson } from './call-arguments.js';
import type { ElementType } from './element-types.js';

/** As templates print them that leave it to Python. */
const PYTHON: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' };
/** What the first character of a JSON text says. */
const BY_FIRST: readonly (readonly [characters: string, type: ElementType])[] = [
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'quoted'],
  ['n', 'null'],
  ['tf', 'boolean'],
  ['-0123456789', 'number'],
];

/**
 * The JSON text of an argument that is written as `text`: a value of one of `types` as it is written, with strings in it
 * repaired (`JsonMachine`), and Python's names for `null`, `true` and `false`; anything else is a string.
 */
export function elementJson(text: string, types: ReadonlySet<ElementType>): string {
  if (types.size === 0) return JSON.stringify(text);
  const trimmed = text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
  const value = Object.hasOwn(PYTHON, trimmed) ? (PYTHON[trimmed] ?? '') : trimmed;
  const type = value === '' ? undefined : BY_FIRST.find(([characters]) => characters.includes(value.charAt(0)))?.[1];
  const json = type !== undefined && types.has(type) ? repairJson(value) : undefined;
  return json ?? JSON.stringify(text);
}
