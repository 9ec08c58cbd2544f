import { checkOptions, invalidValue } from '../../base/index.js';
import type { CheckSurroundings, Constraint, ConstraintKind, ConstraintSurroundings } from '../constraint.js';
import { afterReasoning, type AfterReasoningSpec, type AnswerSpec } from './after-reasoning.js';
import { automaton, type AutomatonSpec } from './automaton.js';
import { grammar, type GrammarSpec } from './grammar.js';
import { reasoningBudget, type ReasoningBudgetSpec } from './reasoning-budget.js';

/** A constraint as data: it crosses threads, and makes the same masks wherever it is made. */
export type ConstraintSpec = AutomatonSpec | ReasoningBudgetSpec | GrammarSpec | AfterReasoningSpec;

/** A grammar that its receiver has under its id. */
type NamedGrammar = Omit<GrammarSpec, 'grammar'>;

/** A constraint whose grammar, if it has one, is named by its id alone. */
export type NamedConstraint =
  | Exclude<ConstraintSpec, GrammarSpec | AfterReasoningSpec>
  | NamedGrammar
  | (Omit<AfterReasoningSpec, 'answer'> & { readonly answer: Exclude<AnswerSpec, GrammarSpec> | NamedGrammar });

/** The registry of constraints, by kind. */
const constraints: {
  readonly [Kind in ConstraintSpec['kind']]: ConstraintKind<Extract<ConstraintSpec, { kind: Kind }>, AnswerSpec>;
} = {
  automaton,
  'reasoning-budget': reasoningBudget,
  grammar,
  'after-reasoning': afterReasoning,
};

/** Refuses an invalid constraint over a vocabulary, or one that needs more of it than exists. Errors: `invalid_value`. */
export function checkConstraint(spec: ConstraintSpec, surroundings: CheckSurroundings): void {
  checkWithin(spec, surroundings, 'constraint');
}

function checkWithin(spec: ConstraintSpec, surroundings: CheckSurroundings, field: string): void {
  const kind = (spec as Partial<ConstraintSpec> | null)?.kind;
  if (kind === undefined || !Object.hasOwn(constraints, kind)) {
    throw invalidValue(`${field}.kind`, kind, Object.keys(constraints).join(' or '));
  }
  const { fields, check } = kindOf(spec);
  checkOptions(field, spec, fields, 'invalid_value');
  check(spec, surroundings, (inner) => checkWithin(inner, surroundings, `${field}.answer`));
}

/** A constraint, and apart from it the compiled grammar in it, if it has one. */
export function partGrammar(spec: ConstraintSpec): {
  readonly named: NamedConstraint;
  readonly grammar: { readonly id: string; readonly compiled: GrammarSpec['grammar'] } | undefined;
} {
  const holder = spec.kind === 'after-reasoning' ? spec.answer : spec;
  if (holder.kind !== 'grammar') return { named: spec, grammar: undefined };
  const { grammar: compiled, ...name } = holder;
  const named = spec.kind === 'after-reasoning' ? { ...spec, answer: name } : name;
  return { named, grammar: { id: name.id, compiled } };
}

/** The reverse; `find` has grammars by their ids. Undefined where the grammar is not found. */
export function joinGrammar(
  named: NamedConstraint,
  find: (id: string) => GrammarSpec['grammar'] | undefined,
): ConstraintSpec | undefined {
  if (named.kind === 'after-reasoning') {
    const answer = joinGrammar(named.answer, find) as AnswerSpec | undefined;
    return answer && { ...named, answer };
  }
  if (named.kind !== 'grammar') return named;
  const compiled = find(named.id);
  return compiled && { ...named, grammar: compiled };
}

/** The constraint at its beginning; `spec` is checked. */
export function createConstraint(spec: ConstraintSpec, surroundings: ConstraintSurroundings): Constraint {
  return kindOf(spec).create(spec, surroundings, (inner) => createConstraint(inner, surroundings));
}

function kindOf(spec: ConstraintSpec): ConstraintKind<ConstraintSpec, AnswerSpec> {
  return constraints[spec.kind] as ConstraintKind<ConstraintSpec, AnswerSpec>;
}
