import { checkOptions, invalidValue } from '../../base/index.js';
import type { CheckSurroundings, Constraint, ConstraintKind, ConstraintSurroundings } from '../constraint.js';
import { afterReasoning, type AfterReasoningSpec, type AnswerSpec } from './after-reasoning.js';
import { automaton, type AutomatonSpec } from './automaton.js';
import { grammar, type GrammarSpec } from './grammar.js';
import { reasoningBudget, type ReasoningBudgetSpec } from './reasoning-budget.js';

/** A constraint as data: it crosses threads, and makes the same masks wherever it is made. */
export type ConstraintSpec = AutomatonSpec | ReasoningBudgetSpec | GrammarSpec | AfterReasoningSpec;

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

/** The constraint at its beginning; `spec` is checked. */
export function createConstraint(spec: ConstraintSpec, surroundings: ConstraintSurroundings): Constraint {
  return kindOf(spec).create(spec, surroundings, (inner) => createConstraint(inner, surroundings));
}

function kindOf(spec: ConstraintSpec): ConstraintKind<ConstraintSpec, AnswerSpec> {
  return constraints[spec.kind] as ConstraintKind<ConstraintSpec, AnswerSpec>;
}
