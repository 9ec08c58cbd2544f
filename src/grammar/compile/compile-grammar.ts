import { AppError } from '../../base/index.js';
import type { Dfa, Expression, Grammar } from '../grammar.js';
import { analyse } from './analyse.js';
import { assemble } from './assemble.js';
import { type Automaton, NONE } from './automaton.js';
import { buildRule } from './build-rule.js';
import type { CompiledGrammar } from './compiled-grammar.js';
import { findComponents } from './components.js';
import { determinise } from './determinise.js';
import { removeLeftRecursion } from './left-recursion.js';
import { isInlined } from './inline.js';
import { Budget } from './limits.js';
import { mergeStates } from './merge-states.js';

/**
 * Compiles a grammar. Left recursion and ambiguity are allowed.
 * Errors: `invalid_grammar`, `grammar_too_large`, `unsatisfiable_grammar` for one without any text.
 */
export function compileGrammar(grammar: Grammar): CompiledGrammar {
  const budget = new Budget();
  const { hasEmpty, hasOthers, named } = analyse(grammar, budget);
  const start = grammar.start;
  if (hasEmpty[start] !== true && hasOthers[start] !== true) {
    throw new AppError('unsatisfiable_grammar', 'no text satisfies the grammar; give each rule a way to end', {});
  }
  const rules: Expression[] = [...grammar.rules];
  const automata: (Automaton | undefined)[] = rules.map(() => undefined);
  const inlined = new Set<number>();
  const ruleOfDfa = new Map<Dfa, number | undefined>();
  const ruleOf = (dfa: Dfa): number | undefined => {
    if (ruleOfDfa.has(dfa)) return ruleOfDfa.get(dfa);
    const automaton = determiniseDfa(dfa, budget);
    const rule = isInlined(automaton) ? undefined : rules.push({ kind: 'regular', dfa }) - 1;
    if (rule !== undefined) automata[rule] = automaton;
    ruleOfDfa.set(dfa, rule);
    return rule;
  };
  const callees = {
    inlined: (rule: number) => (inlined.has(rule) ? automata[rule] : undefined),
    hasEmpty: (rule: number) => hasEmpty[rule] ?? isEmptyToo(rules[rule]),
    hasOthers: (rule: number) => hasOthers[rule] ?? true,
    ruleOf,
  };
  // Those first that name no other, so that what is taken in is there.
  const isUsed = findUsed(named, start);
  for (const component of findComponents(named)) {
    for (const rule of component) {
      if (hasOthers[rule] !== true || !isUsed.has(rule)) continue;
      const automaton = determinise(buildRule(rules[rule] as Expression, callees, budget), budget);
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

function determiniseDfa(dfa: Dfa, budget: Budget): Automaton {
  const whole: Expression = { kind: 'regular', dfa };
  const none = { inlined: () => undefined, hasEmpty: () => false, hasOthers: () => true, ruleOf: () => undefined };
  return determinise(buildRule(whole, none, budget), budget);
}

function isEmptyToo(rule: Expression | undefined): boolean {
  return rule?.kind === 'regular' && rule.dfa.accepting[0] === 1;
}
