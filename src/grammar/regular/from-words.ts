import type { Dfa } from '../grammar.js';
import { classify } from './alphabet.js';
import type { Automaton } from './automaton.js';
import { MAX_STATES, automatonTooLarge, type WorkBudget } from './work-budget.js';
import { createByteGraph, type ByteEdge } from './byte-graph.js';
import { toWordGraph } from './words.js';

/** The automaton of a finite list of texts, which have no lone surrogates. Errors: `grammar_too_large`. */
export function fromTexts(texts: readonly string[], budget: WorkBudget): Automaton {
  const words = texts.map((text) => Array.from(text, (char) => char.codePointAt(0) ?? 0));
  const { edges, accepting } = toWordGraph(words, budget);
  const symbols = [...new Set(words.flat())];
  const { alphabet, classesOf } = classify(symbols.map((symbol) => [symbol, symbol]));
  const { numClasses } = alphabet;
  if (edges.length > MAX_STATES) throw automatonTooLarge('states in one automaton', MAX_STATES);
  budget.spend(edges.length * numClasses);
  const classOf = new Map(symbols.map((symbol, i) => [symbol, classesOf[i]?.[0] ?? 0]));
  const transitions = new Int32Array(edges.length * numClasses).fill(-1);
  edges.forEach((next, state) => {
    for (const [symbol, to] of next) transitions[state * numClasses + (classOf.get(symbol) ?? 0)] = to;
  });
  return { alphabet, transitions, accepting: Uint8Array.from(accepting, Number) };
}

/** The automaton over bytes of a finite list of byte texts. Errors: `grammar_too_large`. */
export function fromByteTexts(texts: readonly Uint8Array[], budget: WorkBudget): Dfa {
  const { edges, accepting } = toWordGraph(
    texts.map((text) => [...text]),
    budget,
  );
  const graph = createByteGraph(budget);
  accepting.forEach((isEnd) => graph.declare(isEnd));
  edges.forEach((next, node) => {
    const list = [...next].map(([byte, to]): ByteEdge => [byte, byte, to]);
    graph.setEdges(
      node,
      list.toSorted((a, b) => a[0] - b[0]),
    );
  });
  return graph.toDfa(0);
}
