import { isJsonObject } from '../../../base/index.js';
import type { SchemaPart, SchemaResource } from '../shape/formula.js';
import { enter, type SchemaDocument } from './document.js';
import { childPointer, unsupportedKeyword } from './unsupported.js';

/** A keyword that refers to another schema. */
export type ReferenceKeyword = '$ref' | '$dynamicRef' | '$recursiveRef';

/** The schema that a reference leads to. Errors: `unsupported_schema`, also for one out of the document. */
export function resolve(
  document: SchemaDocument,
  from: SchemaPart,
  keyword: ReferenceKeyword,
  value: unknown,
): SchemaPart {
  const { pointer } = from;
  if (typeof value !== 'string' || !URL.canParse(value, from.resource.uri)) {
    throw unsupportedKeyword({ pointer, keyword, reason: 'it is no URI reference' });
  }
  const url = new URL(value, from.resource.uri);
  const fragment = decode(url.hash.slice(1), pointer, keyword);
  url.hash = '';
  const resource = document.byUri.get(url.href.replace(/#$/, ''));
  if (resource === undefined) {
    const reason = `${JSON.stringify(value)} leads out of the document, and nothing is fetched`;
    throw unsupportedKeyword({ pointer, keyword, reason });
  }
  if (keyword === '$recursiveRef') return recursiveTarget(document, from, resource);
  if (fragment === '' || fragment.startsWith('/')) return followPointer(document, from, resource, fragment, keyword);
  const anchor = resource.anchors.get(fragment);
  if (anchor === undefined) {
    throw unsupportedKeyword({ pointer, keyword, reason: `there is no anchor ${JSON.stringify(fragment)}` });
  }
  if (keyword === '$dynamicRef' && anchor.isDynamic) {
    const outermost = from.scope.find((each) => each.anchors.get(fragment)?.isDynamic === true) ?? resource;
    const target = outermost.anchors.get(fragment) ?? anchor;
    return enter(document, from.scope, outermost, target.schema, target.pointer);
  }
  return enter(document, from.scope, resource, anchor.schema, anchor.pointer);
}

function decode(fragment: string, pointer: string, keyword: string): string {
  if (!/%(?![0-9A-Fa-f]{2})/.test(fragment)) return decodeURIComponent(fragment);
  throw unsupportedKeyword({ pointer, keyword, reason: 'its fragment is no URI fragment' });
}

/** The outermost resource that declares itself recursive, if the referenced one does so: 2019-09, section 8.2.4.2. */
function recursiveTarget(document: SchemaDocument, from: SchemaPart, resource: SchemaResource): SchemaPart {
  const isRecursive = ({ root }: SchemaResource): boolean => isJsonObject(root) && root['$recursiveAnchor'] === true;
  const target = isRecursive(resource) ? (from.scope.find(isRecursive) ?? resource) : resource;
  return enter(document, from.scope, target, target.root, target.pointer);
}

/** RFC 6901, from the root of a resource. */
function followPointer(
  document: SchemaDocument,
  from: SchemaPart,
  start: SchemaResource,
  fragment: string,
  keyword: string,
): SchemaPart {
  let value = start.root;
  let pointer = start.pointer;
  let resource = start;
  for (const token of fragment.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value) && /^(?:0|[1-9]\d*)$/.test(name) && Number(name) < value.length) {
      value = value[Number(name)];
    } else if (isJsonObject(value) && Object.hasOwn(value, name)) {
      value = value[name];
    } else {
      throw unsupportedKeyword({
        pointer: from.pointer,
        keyword,
        reason: `there is nothing at ${JSON.stringify(fragment)}`,
      });
    }
    pointer = childPointer(pointer, name);
    resource = document.resourceOf(value) ?? resource;
  }
  return enter(document, from.scope, resource, value, pointer);
}
