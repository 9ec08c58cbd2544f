import { repairJson } from './call-arguments.js';
import type { ElementType } from './element-types.js';

/** As templates print them that leave the printing to Python. */
const PYTHON: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' };
/** Types by the first character of a JSON text. */
const BY_FIRST: readonly (readonly [characters: string, type: ElementType])[] = [
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'quoted'],
  ['n', 'null'],
  ['tf', 'boolean'],
  ['-0123456789', 'number'],
];

/**
 * The JSON text of an argument written as `text`. A value of one of `types` keeps its text, with strings in it repaired
 * (`JsonMachine`), and Python's names become `null`, `true` and `false`. Anything else becomes a string.
 */
export function elementJson(text: string, types: ReadonlySet<ElementType>): string {
  if (types.size === 0) return JSON.stringify(text);
  const trimmed = text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
  const value = Object.hasOwn(PYTHON, trimmed) ? (PYTHON[trimmed] ?? '') : trimmed;
  const type = value === '' ? undefined : BY_FIRST.find(([characters]) => characters.includes(value.charAt(0)))?.[1];
  const json = type !== undefined && types.has(type) ? repairJson(value) : undefined;
  return json ?? JSON.stringify(text);
}
