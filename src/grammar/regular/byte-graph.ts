import type { Dfa } from '../grammar.js';
import { automatonTooLarge, type WorkBudget } from './work-budget.js';

/** States that one automaton over bytes may have. */
export const MAX_BYTE_STATES = 100_000;

/** The bytes of one edge, both ends included, and the node that they lead to. */
export type ByteEdge = readonly [from: number, to: number, node: number];

/** A graph of byte edges while it is made. Nodes without a name of their own are shared where they are equal. */
export interface ByteGraph {
  /** A node that `setEdges` fills later. */
  readonly declare: (isAccepting: boolean) => number;
  /** The node that has these edges: ascending, not overlapping. */
  readonly node: (edges: readonly ByteEdge[]) => number;
  readonly setEdges: (node: number, edges: readonly ByteEdge[]) => void;
  readonly edgesOf: (node: number) => readonly ByteEdge[];
  /** The automaton that begins at `start`. */
  readonly toDfa: (start: number) => Dfa;
}

/** An empty graph. Errors of its functions: `grammar_too_large`. */
export function createByteGraph(budget: WorkBudget): ByteGraph {
  const edges: (readonly ByteEdge[])[] = [];
  const accepting: boolean[] = [];
  const known = new Map<string, number>();
  const declare = (isAccepting: boolean): number => {
    if (edges.length >= MAX_BYTE_STATES) throw automatonTooLarge('states over bytes', MAX_BYTE_STATES);
    budget.spend(10);
    accepting.push(isAccepting);
    return edges.push([]) - 1;
  };
  const edgesOf = (node: number): readonly ByteEdge[] => edges[node] ?? [];
  return {
    declare,
    node(list) {
      const merged = mergeEdges(list);
      const key = merged.join();
      budget.spend(10 + merged.length);
      const found = known.get(key);
      if (found !== undefined) return found;
      const made = declare(false);
      known.set(key, made);
      edges[made] = merged;
      return made;
    },
    setEdges(node, list) {
      edges[node] = mergeEdges(list);
    },
    edgesOf,
    toDfa: (start) => toDfa(start, edgesOf, (node) => accepting[node] === true, budget),
  };
}

/** Neighbours that lead to the same node become one edge. */
function mergeEdges(edges: readonly ByteEdge[]): readonly ByteEdge[] {
  if (!edges.some((edge, i) => i > 0 && joins(edges[i - 1] as ByteEdge, edge))) return edges;
  const merged: ByteEdge[] = [];
  for (const edge of edges) {
    const last = merged.at(-1);
    if (last !== undefined && joins(last, edge)) {
      merged[merged.length - 1] = [last[0], edge[1], edge[2]];
    } else merged.push(edge);
  }
  return merged;
}

function joins(before: ByteEdge, after: ByteEdge): boolean {
  return before[2] === after[2] && before[1] + 1 === after[0];
}

/** The edges of two nodes together; where both have an edge for a byte, their targets are united too. */
export function uniteEdges(graph: ByteGraph, a: readonly ByteEdge[], b: readonly ByteEdge[]): ByteEdge[] {
  const cuts = new Set<number>();
  for (const [from, to] of [...a, ...b]) cuts.add(from).add(to + 1);
  const sorted = [...cuts].toSorted((x, y) => x - y);
  const at = (edges: readonly ByteEdge[], byte: number): number | undefined =>
    edges.find(([from, to]) => from <= byte && byte <= to)?.[2];
  return sorted.flatMap((from, i): ByteEdge[] => {
    const to = (sorted[i + 1] ?? from + 1) - 1;
    const [left, right] = [at(a, from), at(b, from)];
    if (left === undefined || right === undefined || left === right) {
      const node = left ?? right;
      return node === undefined ? [] : [[from, to, node]];
    }
    return [[from, to, graph.node(uniteEdges(graph, graph.edgesOf(left), graph.edgesOf(right)))]];
  });
}

function toDfa(
  start: number,
  edgesOf: (node: number) => readonly ByteEdge[],
  isAccepting: (node: number) => boolean,
  budget: WorkBudget,
): Dfa {
  const names = new Map([[start, 0]]);
  const order = [start];
  const isCut = new Uint8Array(257);
  for (const node of order) {
    for (const [from, to, next] of edgesOf(node)) {
      isCut[from] = 1;
      isCut[to + 1] = 1;
      if (names.has(next)) continue;
      names.set(next, order.length);
      order.push(next);
    }
  }
  const { pieceOf, numPieces } = cutBytes(isCut);
  budget.spend(order.length * numPieces);
  const rows = new Int32Array(order.length * numPieces).fill(-1);
  order.forEach((node, state) => {
    for (const [from, to, next] of edgesOf(node)) {
      const row = state * numPieces;
      rows.fill(names.get(next) ?? -1, row + (pieceOf[from] as number), row + (pieceOf[to] as number) + 1);
    }
  });
  const accepting = Uint8Array.from(order, (node) => (isAccepting(node) ? 1 : 0));
  return mergeColumns(pieceOf, numPieces, rows, accepting);
}

/** Bytes in stretches that no edge cuts. */
function cutBytes(isCut: Uint8Array): { pieceOf: Uint8Array; numPieces: number } {
  const pieceOf = new Uint8Array(256);
  let piece = 0;
  for (let byte = 0; byte < 256; byte++) {
    if (byte > 0 && isCut[byte] === 1) piece++;
    pieceOf[byte] = piece;
  }
  return { pieceOf, numPieces: piece + 1 };
}

/** Stretches of bytes with equal columns become one class. */
function mergeColumns(pieceOf: Uint8Array, numPieces: number, rows: Int32Array, accepting: Uint8Array): Dfa {
  const states = accepting.length;
  const hashes = new Int32Array(numPieces);
  for (let state = 0; state < states; state++) {
    for (let piece = 0; piece < numPieces; piece++) {
      hashes[piece] = Math.imul((hashes[piece] as number) ^ (rows[state * numPieces + piece] as number), 0x01000193);
    }
  }
  const isEqual = (a: number, b: number): boolean => {
    for (let row = 0; row < rows.length; row += numPieces) if (rows[row + a] !== rows[row + b]) return false;
    return true;
  };
  const kept: number[] = [];
  const classOfPiece = Uint8Array.from({ length: numPieces }, (_, piece) => {
    const found = kept.findIndex((other) => hashes[other] === hashes[piece] && isEqual(other, piece));
    return found < 0 ? kept.push(piece) - 1 : found;
  });
  const numClasses = kept.length;
  const transitions = new Int32Array(states * numClasses);
  for (let state = 0; state < states; state++) {
    kept.forEach((piece, to) => {
      transitions[state * numClasses + to] = rows[state * numPieces + piece] as number;
    });
  }
  return { classOf: pieceOf.map((piece) => classOfPiece[piece] as number), numClasses, transitions, accepting };
}
