import { type Automaton, Nfa } from './automaton.js';
import { findComponents } from './components.js';
import { determinise } from './determinise.js';
import type { GrammarSize } from './limits.js';

/** The rules that a rule may begin with. */
export function leftCalls(automaton: Automaton | undefined): number[] {
  return automaton?.[0]?.calls.filter((_, index) => index % 2 === 0) ?? [];
}

/**
 * Changes `automata`, by rule, so that no rule begins with itself, neither directly nor by others: M. C. Paull's
 * elimination of left recursion (Aho, Sethi, Ullman, Compilers, 1986, 4.3), on automata. A rule with the texts
 * `A = β | A α` becomes β α*. Errors: `grammar_too_large`.
 */
export function removeLeftRecursion(automata: (Automaton | undefined)[], budget: GrammarSize): void {
  const graph = automata.map(leftCalls);
  for (const rules of findComponents(graph)) {
    if (rules.length === 1 && graph[rules[0] as number]?.includes(rules[0] as number) !== true) continue;
    rules.forEach((rule, index) => {
      for (const earlier of rules.slice(0, index)) {
        const callee = automata[earlier];
        if (callee === undefined || !leftCalls(automata[rule]).includes(earlier)) continue;
        automata[rule] = substitute(automata[rule] ?? [], earlier, callee, budget);
      }
      if (leftCalls(automata[rule]).includes(rule)) automata[rule] = turn(automata[rule] ?? [], rule, budget);
    });
  }
}

/** `automaton` with `callee` itself instead of the call of it at the beginning. */
function substitute(automaton: Automaton, rule: number, callee: Automaton, budget: GrammarSize): Automaton {
  const { nfa, after } = openAt(automaton, rule);
  budget.takeParts(automaton.length + callee.length);
  for (const target of after) nfa.embed(callee, 0, target);
  return determinise(nfa, budget);
}

/** β α* from β | A α. */
function turn(automaton: Automaton, rule: number, budget: GrammarSize): Automaton {
  const { nfa, after } = openAt(automaton, rule);
  budget.takeParts(automaton.length);
  // A rule that is only itself (A = A) adds nothing: its end leads to its end.
  automaton.forEach(({ accepting }, state) => {
    if (accepting) for (const target of after) nfa.addEmpty(state, target);
  });
  return determinise(nfa, budget);
}

/** `automaton` without the call of `rule` at its beginning, and the states that followed it. */
function openAt(automaton: Automaton, rule: number): { nfa: Nfa; after: number[] } {
  const nfa = new Nfa();
  const after: number[] = [];
  automaton.forEach(({ accepting, edges, calls }, state) => {
    nfa.add(accepting);
    for (let i = 0; i < edges.length; i += 3) {
      nfa.addEdge(state, edges[i] as number, edges[i + 1] as number, edges[i + 2] as number);
    }
    for (let i = 0; i < calls.length; i += 2) {
      const target = calls[i + 1] as number;
      if (state === 0 && calls[i] === rule) after.push(target);
      else nfa.addCall(state, calls[i] as number, target);
    }
  });
  return { nfa, after };
}
