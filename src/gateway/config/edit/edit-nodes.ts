// Edits of a YAML document that leave other nodes, their styles and their comments unchanged.
import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  visit,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isDeepStrictEqual } from 'node:util';
import type { YamlText } from '../../../yaml-file/index.js';
import {
  commentLinesOf,
  commentsOf,
  linesOf,
  putAtEnd,
  putBefore,
  type LineRange,
  type TextComment,
} from './node-comments.js';

/** A document that is being changed. */
export interface NodeEditor {
  /** Makes the root's field `name` of `value`, as a whole. */
  setField(map: YAMLMap, name: string, value: unknown): void;
  removeField(map: YAMLMap, name: string): void;
  addItem(list: YAMLSeq, value: unknown): void;
  removeItem(list: YAMLSeq, index: number): void;
  /** Lines whose comments may disappear: the lines of removed or replaced values. */
  readonly dropped: readonly LineRange[];
  /** Lines of the text before the edit. */
  readonly comments: readonly TextComment[];
}

/** An editor of `yaml.document`. */
export function createNodeEditor(yaml: YamlText): NodeEditor {
  const { document, placeAt } = yaml;
  const comments = commentsOf(yaml);
  const dropped: LineRange[] = [];

  /** The comments before or behind a node's lines: they describe more than the node. */
  function commentsAround(node: Node | Pair): string[] {
    const lines = linesOf(node, placeAt);
    // A new node has only the comments that the edit gave it.
    if (lines === undefined) return commentLinesOf(node);
    dropped.push(lines);
    const own = comments.filter(({ line }) => line >= lines.first && line <= lines.last).map(({ text }) => text);
    return commentLinesOf(node).filter((line) => {
      const at = own.indexOf(line.trim());
      if (at !== -1) own.splice(at, 1);
      return at === -1;
    });
  }

  function removeAt(collection: YAMLMap | YAMLSeq, index: number): void {
    const [item] = collection.items.splice(index, 1);
    if (!isNode(item) && !isPair(item)) return;
    const kept = commentsAround(item);
    const next: unknown = collection.items[index];
    const follower = isPair(next) ? next.key : next;
    if (isNode(follower)) putBefore(follower, kept);
    else putAtEnd(collection, kept);
    if (collection.items.length > 0) return;
    emptyComments(collection);
    // As it is read again.
    collection.flow = true;
  }

  /**
   * A collection without items is written as [] or {}, which have no room for comments. Its comments move before its
   * key. Comments behind an empty line describe what follows and move before the next key.
   */
  function emptyComments(collection: YAMLMap | YAMLSeq): void {
    const { key, next } = findKeys(document, collection);
    if (key === undefined) return;
    const [behind = '', ...after] = (collection.comment ?? '').split(/\n\s*\n/);
    collection.comment = behind;
    const own = next === undefined ? [...commentLinesOf(collection), ...after] : commentLinesOf(collection);
    if (own.length > 0) key.commentBefore = [...(key.commentBefore ? [key.commentBefore] : []), ...own].join('\n');
    if (next !== undefined && after.length > 0) {
      putBefore(next, after);
      next.spaceBefore = true;
    }
    collection.commentBefore = null;
    collection.comment = null;
  }

  function setField(map: YAMLMap, name: string, value: unknown): void {
    const pair = map.items.find(({ key }) => isScalar(key) && key.value === name);
    if (pair !== undefined) pair.value = assign(pair.value, value);
    else map.items.push(document.createPair(name, createNode(document, value)));
  }

  function removeField(map: YAMLMap, name: string): void {
    const index = map.items.findIndex(({ key }) => isScalar(key) && key.value === name);
    if (index !== -1) removeAt(map, index);
  }

  function addItem(list: YAMLSeq, value: unknown): void {
    const last = list.items.at(-1);
    const node = createNode(document, value);
    // As its neighbour is written; a list that was [] gets lines.
    if (isMap(last) && isMap(node)) node.flow = last.flow ?? false;
    if (list.items.length === 0) list.flow = false;
    list.items.push(node);
  }

  /** The node for `value`. It replaces `found`, or updates it in place where possible. */
  function assign(found: unknown, value: unknown): Node {
    if (isScalar(found) && !isObject(value)) {
      if (!Object.is(found.value, value)) found.value = value;
      return found;
    }
    if (isMap(found) && isObject(value) && !Array.isArray(value)) {
      for (const name of namesOf(found)) if (!Object.hasOwn(value, name)) removeField(found, name);
      for (const [name, item] of Object.entries(value)) setField(found, name, item);
      return found;
    }
    if (isSeq(found) && Array.isArray(value)) {
      if (isDeepStrictEqual(found.toJS(document), value)) return found;
      while (found.items.length > value.length) removeAt(found, found.items.length - 1);
      value.forEach((item, i) => {
        if (i < found.items.length) found.items[i] = assign(found.items[i], item);
        else addItem(found, item);
      });
      return found;
    }
    const made = createNode(document, value);
    if (!isNode(found)) return made;
    // A comment behind a value of one line stays. Of replaced lines, the comments before and behind them stay.
    if (isScalar(found) && found.comment) made.comment = found.comment;
    else if (!isScalar(found)) putAtEnd(made, commentsAround(found));
    if (found.commentBefore && isScalar(found)) made.commentBefore = found.commentBefore;
    return made;
  }

  return {
    setField,
    removeField,
    addItem,
    removeItem: (list, index) => removeAt(list, index),
    dropped,
    comments,
  };
}

/** The key whose value is `node`, and the key that follows it in the same map. */
function findKeys(document: Document.Parsed, node: Node): { readonly key?: Node; readonly next?: Node | undefined } {
  let found: { key?: Node; next?: Node | undefined } = {};
  visit(document, {
    Map(_, { items }) {
      const index = items.findIndex(({ value }) => value === node);
      const [key, next] = [items[index]?.key, items[index + 1]?.key];
      if (!isNode(key)) return undefined;
      found = { key, next: isNode(next) ? next : undefined };
      return visit.BREAK;
    },
  });
  return found;
}

function namesOf(map: YAMLMap): string[] {
  return map.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Nodes for a value: maps and lists of nothing but scalars in one line, others over several. No anchors. */
function createNode(document: Document.Parsed, value: unknown): Node {
  const node = document.createNode(value, { aliasDuplicateObjects: false });
  visit(node, {
    Collection(_, collection) {
      const children = collection.items.map((item) => (isPair(item) ? item.value : item));
      collection.flow = children.every((child) => isScalar(child));
    },
  });
  return node;
}
