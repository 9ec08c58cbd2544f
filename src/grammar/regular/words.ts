import type { WorkBudget } from './work-budget.js';

/** A graph of words: a deterministic automaton without cycles. State 0 is its beginning. */
export interface WordGraph {
  /** [states]: the state that follows a symbol. */
  readonly edges: readonly ReadonlyMap<number, number>[];
  readonly accepting: readonly boolean[];
}

interface Node {
  readonly edges: Map<number, Node>;
  accepting: boolean;
  id: number;
}

/**
 * The least automaton of a list of words. Source: Daciuk, Mihov, Watson and Watson, Incremental Construction of Minimal
 * Acyclic Finite-State Automata, Computational Linguistics 26 (2000), for sorted words.
 */
export function toWordGraph(words: readonly (readonly number[])[], budget: WorkBudget): WordGraph {
  const sorted = words.toSorted(compareWords);
  let made = 0;
  const create = (): Node => ({ edges: new Map(), accepting: false, id: made++ });
  const root = create();
  const registered = new Map<string, Node>();
  /** The nodes of the word before, from the root; those below a place are registered when the next word leaves them. */
  let path: Node[] = [root];
  let last: readonly number[] = [];
  const register = (depth: number): void => {
    for (let i = path.length - 1; i > depth; i--) {
      const node = path[i] as Node;
      const key = `${node.accepting ? '!' : ''}${[...node.edges].map(([symbol, { id }]) => `${symbol}>${id}`).join()}`;
      budget.spend(4 + node.edges.size);
      const found = registered.get(key);
      if (found === undefined) registered.set(key, node);
      else path[i - 1]?.edges.set(last[i - 1] as number, found);
    }
    path = path.slice(0, depth + 1);
  };
  for (const word of sorted) {
    let common = 0;
    while (common < word.length && common < last.length && word[common] === last[common]) common++;
    register(common);
    for (let i = common; i < word.length; i++) {
      const node = create();
      budget.spend(4);
      path[i]?.edges.set(word[i] as number, node);
      path.push(node);
    }
    (path[word.length] as Node).accepting = true;
    last = word;
  }
  register(0);
  return number(root);
}

function number(root: Node): WordGraph {
  const names = new Map<Node, number>([[root, 0]]);
  const nodes = [root];
  for (const node of nodes) {
    for (const next of node.edges.values()) {
      if (names.has(next)) continue;
      names.set(next, nodes.length);
      nodes.push(next);
    }
  }
  return {
    edges: nodes.map(({ edges }) => new Map([...edges].map(([symbol, to]) => [symbol, names.get(to) ?? 0]))),
    accepting: nodes.map(({ accepting }) => accepting),
  };
}

function compareWords(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
