import type { WorkBudget } from './work-budget.js';
import { createByteGraph, type ByteEdge, type ByteGraph } from './byte-graph.js';

/**
 * Rows that send the same classes to the same states, whichever these are, have one form. It is spelled once, with
 * leaves for the states, and copied for each row; subgraphs with the same states are copied once.
 */
export interface Forms {
  /**
   * The edges of a row; `leaves`: for each class the index of the state that it leads to among those of the row, or -1.
   * `toEdges` spells a form that is new, `nodes` are its leaves.
   */
  readonly edgesOf: (
    leaves: readonly number[],
    toEdges: (graph: ByteGraph, nodes: readonly number[]) => readonly ByteEdge[],
  ) => readonly ByteEdge[];
  /** Edges of a form with the nodes of `targets` as its leaves. */
  readonly copy: (edges: readonly ByteEdge[], targets: readonly number[]) => ByteEdge[];
}

/** Forms that are copied into `made`, which has `numTargets` nodes that rows may lead to. */
export function createForms(made: ByteGraph, numTargets: number, budget: WorkBudget): Forms {
  const graph = createByteGraph(budget);
  const nodes: number[] = [];
  const leafOf = new Map<number, number>();
  const forms = new Map<string, readonly ByteEdge[]>();
  const leavesUnder = new Map<number, readonly number[]>();
  const under = (node: number): readonly number[] => {
    const leaf = leafOf.get(node);
    if (leaf !== undefined) return [leaf];
    const found = leavesUnder.get(node) ?? [...new Set(graph.edgesOf(node).flatMap(([, , next]) => under(next)))];
    leavesUnder.set(node, found);
    return found;
  };
  const single = new Map<number, number>();
  const several = new Map<string, number>();
  const copyNode = (node: number, targets: readonly number[]): number => {
    const leaf = leafOf.get(node);
    if (leaf !== undefined) return targets[leaf] as number;
    const leaves = under(node);
    // Most nodes lead to one state: no list is made for these.
    const key = node * numTargets + (targets[leaves[0] as number] as number);
    const name = leaves.length === 1 ? '' : `${node},${leaves.map((each) => targets[each]).join()}`;
    const found = name === '' ? single.get(key) : several.get(name);
    if (found !== undefined) return found;
    const copied = made.declare(false);
    if (name === '') single.set(key, copied);
    else several.set(name, copied);
    const edges = graph.edgesOf(node);
    budget.spend(2);
    made.setEdges(copied, copy(edges, targets));
    return copied;
  };
  const copy = (edges: readonly ByteEdge[], targets: readonly number[]): ByteEdge[] =>
    edges.map(([from, to, next]): ByteEdge => [from, to, copyNode(next, targets)]);
  return {
    edgesOf(leaves, toEdges) {
      for (let leaf = nodes.length; leaf <= Math.max(-1, ...leaves); leaf++) {
        const node = graph.declare(false);
        leafOf.set(node, leaf);
        nodes.push(node);
      }
      const key = leaves.join();
      const found = forms.get(key) ?? toEdges(graph, nodes);
      forms.set(key, found);
      return found;
    },
    copy,
  };
}
