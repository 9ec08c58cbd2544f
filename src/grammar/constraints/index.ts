import { checkOptions, invalidValue } from '../../base/index.js';
import type { Constraint, ConstraintKind } from '../constraint.js';
import { automaton, type AutomatonSpec } from './automaton.js';
import { reasoningBudget, type ReasoningBudgetSpec } from './reasoning-budget.js';

/** A constraint as data: it crosses threads, and makes the same masks wherever it is made. */
export type ConstraintSpec = AutomatonSpec | ReasoningBudgetSpec;

/** The registry of constraints, by kind. */
const constraints: {
  readonly [Kind in ConstraintSpec['kind']]: ConstraintKind<Extract<ConstraintSpec, { kind: Kind }>>;
} = {
  automaton,
  'reasoning-budget': reasoningBudget,
};

/** Refuses what is no constraint over a vocabulary of `vocabSize`. Errors: `invalid_value`. */
export function checkConstraint(spec: ConstraintSpec, vocabSize: number): void {
  const kind = (spec as Partial<ConstraintSpec> | null)?.kind;
  if (kind === undefined || !Object.hasOwn(constraints, kind)) {
    throw invalidValue('constraint.kind', kind, Object.keys(constraints).join(' or '));
  }
  const { fields, check } = kindOf(spec);
  checkOptions('constraint', spec, fields, 'invalid_value');
  check(spec, vocabSize);
}

/** The constraint at its beginning; `spec` is checked. */
export function createConstraint(spec: ConstraintSpec, vocabSize: number): Constraint {
  return kindOf(spec).create(spec, vocabSize);
}

function kindOf(spec: ConstraintSpec): ConstraintKind<ConstraintSpec> {
  return constraints[spec.kind] as ConstraintKind<ConstraintSpec>;
}
