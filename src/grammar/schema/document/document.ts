import { isJsonObject } from '../../../base/index.js';
import { automatonTooLarge, type WorkBudget } from '../../regular/index.js';
import type { AnchoredSchema, SchemaPart, SchemaResource } from '../shape/formula.js';
import { draftOf, ignoresBesideRef, type SchemaDraft } from './draft.js';
import { childPointer, unsupportedKeyword } from './unsupported.js';

/** Schemas within one another, and values within them. */
const MAX_DEPTH = 256;
/** Address of a document without one of its own. */
const NAMELESS = 'json-schema://document/';

/** A JSON Schema with its resources. */
export interface SchemaDocument {
  readonly draft: SchemaDraft;
  readonly root: SchemaPart;
  /** Some reference depends on how it was come to. */
  readonly isDynamic: boolean;
  /** The resource that a schema is the root of. */
  readonly resourceOf: (schema: unknown) => SchemaResource | undefined;
  readonly byUri: ReadonlyMap<string, SchemaResource>;
}

/** Finds the resources and anchors of a schema. Errors: `unsupported_schema`, `grammar_too_large`. */
export function openDocument(schema: unknown, budget: WorkBudget): SchemaDocument {
  const draft = draftOf(isJsonObject(schema) ? schema['$schema'] : undefined, '');
  const byUri = new Map<string, SchemaResource>();
  const byRoot = new Map<unknown, SchemaResource>();
  let isDynamic = false;
  const addResource = (
    place: Subschema,
    { uri, keyword }: Pick<SchemaResource, 'uri'> & { readonly keyword: string },
  ): SchemaResource & { readonly anchors: Map<string, AnchoredSchema> } => {
    const resource = { id: byUri.size, uri, root: place.schema, pointer: place.pointer, anchors: new Map() };
    if (byUri.has(uri))
      throw unsupportedKeyword({ pointer: place.pointer, keyword, reason: `two schemas are called ${uri}` });
    byUri.set(uri, resource);
    if (isJsonObject(place.schema)) byRoot.set(place.schema, resource);
    return resource;
  };
  const ownId = idOf(schema, draft);
  const main = addResource({ schema, pointer: '' }, toUri(ownId ?? { text: '', keyword: '$id' }, NAMELESS, ''));
  const queue: (Subschema & { readonly resource: typeof main; readonly depth: number })[] = [
    { schema, pointer: '', resource: main, depth: 0 },
  ];
  for (const { depth, ...place } of queue) {
    const { schema: each, pointer } = place;
    budget.spend(60);
    if (depth > MAX_DEPTH) throw automatonTooLarge('levels of schemas within one another', MAX_DEPTH);
    let { resource } = place;
    if (isJsonObject(each)) {
      if (each !== schema && each['$schema'] !== undefined) draftOf(each['$schema'], pointer);
      const id = idOf(each, draft);
      if (id !== undefined && each !== schema) resource = addResource(place, toUri(id, resource.uri, pointer));
      for (const [name, anchor] of anchorsOf(each, pointer, draft)) resource.anchors.set(name, anchor);
      if ('$dynamicRef' in each || '$recursiveRef' in each) isDynamic = true;
    }
    for (const inner of subschemasOf(place)) queue.push({ ...inner, resource, depth: depth + 1 });
  }
  const root: SchemaPart = { schema, pointer: '', resource: main, scope: isDynamic ? [main] : [] };
  return { draft, root, isDynamic, resourceOf: (each) => byRoot.get(each), byUri };
}

/** A schema's own address, and its keyword: draft 4 has another. */
interface Id {
  readonly text: string;
  readonly keyword: '$id' | 'id';
}

/** The address that a schema gives itself, if it is not only a name within its resource. */
function idOf(schema: unknown, draft: SchemaDraft): Id | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (ignoresBesideRef(draft) && typeof schema['$ref'] === 'string') return undefined;
  const keyword = schema['$id'] === undefined && (draft === '4' || draft === 'open') ? 'id' : '$id';
  const id = schema[keyword];
  return typeof id === 'string' && !id.startsWith('#') ? { text: id.replace(/#$/, ''), keyword } : undefined;
}

function anchorsOf(
  schema: Readonly<Record<string, unknown>>,
  pointer: string,
  draft: SchemaDraft,
): [name: string, anchor: AnchoredSchema][] {
  if (ignoresBesideRef(draft) && typeof schema['$ref'] === 'string') return [];
  const anchors: [string, AnchoredSchema][] = [];
  const { $anchor, $dynamicAnchor, $id, id } = schema;
  if (typeof $anchor === 'string') anchors.push([$anchor, { schema, pointer, isDynamic: false }]);
  if (typeof $dynamicAnchor === 'string') anchors.push([$dynamicAnchor, { schema, pointer, isDynamic: true }]);
  const old = $id ?? id;
  if (typeof old === 'string' && /^#./.test(old)) anchors.push([old.slice(1), { schema, pointer, isDynamic: false }]);
  return anchors;
}

/** An address resolved against a base: RFC 3986. Errors: `unsupported_schema`. */
function toUri({ text, keyword }: Id, base: string, pointer: string): { uri: string; keyword: string } {
  if (!URL.canParse(text, base)) throw unsupportedKeyword({ pointer, keyword, reason: 'it is no URI reference' });
  return { uri: new URL(text, base).href, keyword };
}

/** The place of a member of a schema: in the same resource, or the root of one of its own. */
export function childPart(
  document: SchemaDocument,
  parent: SchemaPart,
  schema: unknown,
  ...tokens: readonly (string | number)[]
): SchemaPart {
  return enter(document, parent.scope, parent.resource, schema, childPointer(parent.pointer, ...tokens));
}

/** A schema that belongs to `resource`, unless it is the root of another one. */
export function enter(
  document: SchemaDocument,
  scope: readonly SchemaResource[],
  resource: SchemaResource,
  schema: unknown,
  pointer: string,
): SchemaPart {
  const own = (isJsonObject(schema) ? document.resourceOf(schema) : undefined) ?? resource;
  const isKnown = !document.isDynamic || scope.includes(own);
  return { schema, pointer, resource: own, scope: isKnown ? scope : [...scope, own] };
}

/** A schema and its place. */
interface Subschema {
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
function subschemasOf({ schema, pointer }: Subschema): Subschema[] {
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
