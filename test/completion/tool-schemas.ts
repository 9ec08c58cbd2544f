import { type JsonObject } from '../../src/base/index.js';
import { createRandom } from '../grammar/sample.js';

/**
 * Schemas of tools: nested, with quotes, braces and tags in names and values. `isWritable`: no name of an argument has a tag in
 * it, so that it can be written as an element.
 */
export function toolSchema(seed: number, isWritable = false): JsonObject {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const names = ['city', 'a "b"', 'ä}', '</tool_call>', 'x\\y', '{', 'deep', 'n'];
  const value = (depth: number): JsonObject => {
    const kinds = ['string', 'number', 'integer', 'boolean', 'enum', 'null', ...(depth < 2 ? ['object', 'array'] : [])];
    const kind = pick(kinds);
    if (kind === 'object') return object(depth + 1);
    if (kind === 'array') return { type: 'array', items: value(depth + 1), maxItems: 3 };
    if (kind === 'enum') return { enum: ['</tool_call>', 'say "hi"', 'a\nb', '\u{1f986}', 7, null] };
    if (kind === 'string' && random() < 0.5) return { type: 'string', maxLength: 12 };
    return kind === 'integer' ? { type: kind, minimum: -5, maximum: 500 } : { type: kind };
  };
  const object = (depth: number): JsonObject => {
    const known = names.map((name) => (isWritable && depth === 0 && name.includes('<') ? '[call]' : name));
    const own = known.filter(() => random() < 0.4);
    const properties = Object.fromEntries(own.map((name) => [name, value(depth)]));
    return { type: 'object', properties, required: own.filter(() => random() < 0.6), additionalProperties: false };
  };
  return object(0);
}
