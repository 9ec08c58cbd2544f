// Where comments of a YAML document are: at nodes, and in the text by line.
import { isCollection, isNode, isPair, type CST, type Node, type Pair } from 'yaml';
import { walkTokens, type YamlText } from '../../../yaml-file/index.js';

/** A comment of a text. */
export interface TextComment {
  /** Without `#`, and without space at its ends. */
  readonly text: string;
  readonly line: number;
}

/** Lines of a text, both inclusive, from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Every comment of a text, in its order. */
export function commentsOf({ tokens, placeAt }: Pick<YamlText, 'tokens' | 'placeAt'>): TextComment[] {
  const found: CST.Token[] = [];
  for (const { token } of walkTokens(tokens)) {
    const isComment = token.type === 'comment' || token.type === 'block-scalar-header';
    if (isComment && 'source' in token && token.source.includes('#')) found.push(token);
  }
  return found
    .toSorted((a, b) => a.offset - b.offset)
    .map((token) => ({ text: trim('source' in token ? token.source : ''), line: placeAt(token.offset).line }));
}

function trim(source: string): string {
  return source.slice(source.indexOf('#') + 1).trim();
}

/** The comments of a node and of all inside it, in their order, each a line. */
export function commentLinesOf(node: Node | Pair): string[] {
  if (isPair(node)) return [node.key, node.value].filter(isNode).flatMap(commentLinesOf);
  const inside = isCollection(node)
    ? node.items.flatMap((item) => (isNode(item) || isPair(item) ? commentLinesOf(item) : []))
    : [];
  return [...toLines(node.commentBefore), ...inside, ...toLines(node.comment)];
}

function toLines(comment: string | null | undefined): string[] {
  return comment === null || comment === undefined ? [] : comment.split('\n').filter((line) => line !== '');
}

/** The lines of a node from its first character to the last of its values; undefined for a node that was made. */
export function linesOf(node: Node | Pair, placeAt: YamlText['placeAt']): LineRange | undefined {
  const start = startOf(node);
  const end = endOf(node);
  if (start === undefined || end === undefined) return undefined;
  return { first: placeAt(start).line, last: placeAt(Math.max(start, end - 1)).line };
}

function startOf(node: unknown): number | undefined {
  if (isPair(node)) return startOf(node.key);
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Behind the last value: the range of a block map includes the comments that follow it. */
function endOf(node: unknown): number | undefined {
  if (isPair(node)) return endOf(node.value) ?? endOf(node.key);
  if (!isNode(node)) return undefined;
  if (isCollection(node) && node.flow !== true && node.items.length > 0) return endOf(node.items.at(-1));
  return node.range?.[1];
}

/** Inserts comments before the existing ones of a node. */
export function putBefore(node: Node, lines: readonly string[]): void {
  if (lines.length === 0) return;
  node.commentBefore = [...lines, ...toLines(node.commentBefore)].join('\n');
}

/** Puts comments before those at the end of a node. */
export function putAtEnd(node: Node, lines: readonly string[]): void {
  if (lines.length === 0) return;
  node.comment = [...lines, ...toLines(node.comment)].join('\n');
}
