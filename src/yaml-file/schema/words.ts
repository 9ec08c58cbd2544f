import type { FieldSchema } from './field-schema.js';

/** Words for the required type of a value, for messages and for the reference page: `a whole number from 1 to 1024`. */
export function toWords(schema: FieldSchema): string {
  if (schema.expected !== undefined) return schema.expected;
  if (schema.enum !== undefined) return `${schema.enum.length > 4 ? 'one of ' : ''}${joinWords(schema.enum)}`;
  if (schema.anyOf !== undefined) return joinWords(schema.anyOf.map(toWords));
  switch (schema.type) {
    case 'null':
      return 'null';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}${schema.unit === undefined ? '' : ` (${schema.unit})`}`;
    case 'array':
      return `a list of ${toCount(schema)} ${schema.title ?? 'values'}`;
    case 'object':
      return `a map (${Object.keys(schema.properties ?? {}).join(', ')})`;
    default:
      return 'a text';
  }
}

function toCount({ minItems = 0, maxItems }: FieldSchema): string {
  return minItems > 0 ? `${minItems} to ${maxItems}` : `at most ${maxItems}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
