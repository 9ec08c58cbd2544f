// Constraints whose compiled grammar is parted from them: it may have megabytes, and a receiver may have it already.
import type { CompiledGrammar } from './compile/index.js';
import type { AfterReasoningSpec, AnswerSpec } from './constraints/after-reasoning.js';
import type { GrammarSpec } from './constraints/grammar.js';
import type { ConstraintSpec } from './constraints/index.js';

/** A grammar that its receiver has under its id. */
type NamedGrammar = Omit<GrammarSpec, 'grammar'>;

/** A constraint whose grammar, if it has one, is named by its id alone. */
export type NamedConstraint =
  | Exclude<ConstraintSpec, GrammarSpec | AfterReasoningSpec>
  | NamedGrammar
  | (Omit<AfterReasoningSpec, 'answer'> & { readonly answer: Exclude<AnswerSpec, GrammarSpec> | NamedGrammar });

/** A constraint, and apart from it the compiled grammar in it, if it has one. */
export function partGrammar(spec: ConstraintSpec): {
  readonly named: NamedConstraint;
  readonly grammar: { readonly id: string; readonly compiled: CompiledGrammar } | undefined;
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
  find: (id: string) => CompiledGrammar | undefined,
): ConstraintSpec | undefined {
  if (named.kind === 'after-reasoning') {
    const answer = joinGrammar(named.answer, find) as AnswerSpec | undefined;
    return answer && { ...named, answer };
  }
  if (named.kind !== 'grammar') return named;
  const compiled = find(named.id);
  return compiled && { ...named, grammar: compiled };
}
