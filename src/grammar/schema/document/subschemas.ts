import { isJsonObject } from '../../../base/index.js';
import { childPointer } from './unsupported.js';

/** A schema and its place. */
export interface Subschema {
  readonly schema: unknown;
  readonly pointer: string;
}

const SINGLE: readonly string[] = [
  'items additionalItems contains additionalProperties propertyNames not if then else unevaluatedItems',
  'unevaluatedProperties contentSchema',
].flatMap((line) => line.split(' '));
const LISTS: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAPS: readonly string[] = [
  'properties patternProperties $defs definitions dependentSchemas dependencies',
].flatMap((line) => line.split(' '));

/** The schemas that a schema has directly in it, by all drafts' keywords. */
export function subschemasOf({ schema, pointer }: Subschema): Subschema[] {
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    const place = childPointer(pointer, keyword);
    if (LISTS.includes(keyword) && Array.isArray(value)) {
      return value.map((each: unknown, i) => ({ schema: each, pointer: childPointer(place, i) }));
    }
    if (MAPS.includes(keyword) && isJsonObject(value)) {
      return Object.entries(value).map(([name, each]) => ({ schema: each, pointer: childPointer(place, name) }));
    }
    return SINGLE.includes(keyword) ? [{ schema: value, pointer: place }] : [];
  });
}
