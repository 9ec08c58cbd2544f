import { AppError } from '../../base/index.js';
import type { Dfa, Expression, Grammar } from '../grammar.js';
import { analyse } from './analyse.js';
import { assemble } from './assemble.js';
import { type Automaton, NONE } from './automaton.js';
import { buildRule } from './build-rule.js';
import type { CompiledGrammar } from './compiled-grammar.js';
import { findComponents } from './components.js';
import { determinise } from './determinise.js';
import { isInlined } from './inline.js';
import { removeLeftRecursion } from './left-recursion.js';
import { GrammarSize } from './limits.js';
import { mergeStates } from './merge-states.js';
import { RegularRules } from './regular-rules.js';

/**
 * Compiles a grammar. Left recursion and ambiguity are allowed.
 * Errors: `invalid_grammar`, `grammar_too_large`, `unsatisfiable_grammar` for one without any text.
 */
export function compileGrammar(grammar: Grammar): CompiledGrammar {
  const budget = new GrammarSize();
  const { hasEmpty, hasOthers, named } = analyse(grammar, budget);
  const start = grammar.start;
  if (hasEmpty[start] !== true && hasOthers[start] !== true) {
    throw new AppError('unsatisfiable_grammar', 'no text satisfies the grammar; give each rule a way to end', {});
  }
  const automata: (Automaton | undefined)[] = grammar.rules.map(() => undefined);
  const inlined = new Set<number>();
  const regular = new RegularRules(automata, budget);
  const callees = {
    inlined: (rule: number) => (inlined.has(rule) ? automata[rule] : undefined),
    hasEmpty: (rule: number) => hasEmpty[rule] ?? regular.hasEmpty(rule),
    hasOthers: (rule: number) => hasOthers[rule] ?? true,
    ruleOf: (dfa: Dfa, end: Uint8Array) => regular.ruleOf(dfa, end),
  };
  // Rules that name no others come first, so that inlined ones are ready.
  const isUsed = findUsed(named, start);
  for (const component of findComponents(named)) {
    for (const rule of component) {
      if (hasOthers[rule] !== true || !isUsed.has(rule)) continue;
      const automaton = determinise(buildRule(grammar.rules[rule] as Expression, callees, budget), budget);
      automata[rule] = automaton;
      const isRecursive = component.length > 1 || named[rule]?.includes(rule) === true;
      if (!isRecursive && isInlined(automaton)) inlined.add(rule);
    }
  }
  automata[start] ??= [{ accepting: false, edges: NONE, calls: NONE }];
  removeLeftRecursion(automata, budget);
  const merged = automata.map((automaton) => automaton && mergeStates(automaton));
  return { hasEmpty: hasEmpty[start] === true, ...assemble(merged, start) };
}

/** `start` and all that it names, by others too. */
function findUsed(named: readonly (readonly number[])[], start: number): ReadonlySet<number> {
  const used = new Set([start]);
  for (const rule of used) for (const callee of named[rule] ?? []) used.add(callee);
  return used;
}
