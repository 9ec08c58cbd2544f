import { recordUnenforced, type Reader } from './reader.js';

/** Keywords that are enforced elsewhere, or that enforce nothing by themselves. */
const HELD: ReadonlySet<string> = new Set(
  [
    'type enum const $ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else properties',
    'patternProperties additionalProperties propertyNames required minProperties maxProperties',
    'dependentRequired dependentSchemas dependencies unevaluatedProperties items prefixItems',
    'additionalItems minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems',
    'minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    '$schema $id id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $defs definitions $comment title',
    'description default examples example deprecated readOnly writeOnly',
  ].flatMap((line) => line.split(' ')),
);

/** Reports keywords that no draft has, and those about a string's content: they are annotations. */
export function recordUnknown(reader: Reader, schema: Readonly<Record<string, unknown>>, pointer: string): void {
  for (const keyword of Object.keys(schema)) {
    if (!HELD.has(keyword) && !keyword.startsWith('x-')) recordUnenforced(reader, pointer, keyword);
  }
}
