import type { Expression } from '../../grammar.js';
import type { Automaton } from '../../regular/index.js';
import { both, type Formula } from '../shape/formula.js';
import { hasName, type NameRule, type ObjectPart } from '../shape/object-part.js';
import { bytes, inOrder, alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import { stringTexts } from './literals.js';
import { colonGap } from './whitespace.js';

/** A property with a name of its own. */
export interface NamedProperty {
  readonly name: string;
  readonly isRequired: boolean;
  readonly formula: Formula;
  /** Its name, the colon and its value. */
  readonly text: Expression;
}

/** Inputs of an object. */
export interface ObjectMembers {
  /** In the order of the schema. */
  readonly named: readonly NamedProperty[];
  /** A property of any other name; undefined where there is none. */
  readonly other: Expression | undefined;
  readonly min: number;
  readonly max: number | undefined;
  /** Between two of them. */
  readonly comma: Expression;
  /** Behind the last. */
  readonly gap: Expression;
}

/** The expression of a property: `name` is its name, or the automaton of its names. */
export type ToMember = (name: string | Automaton, formula: Formula) => Expression;

/** The properties that rules name, and those that must be there, in the order of the schema. */
export function namedMembers(emitter: Emitter, part: ObjectPart, toMember: ToMember): NamedProperty[] {
  const names = namesOf(part);
  const single = new Map<string, Formula[]>();
  const wide: NameRule[] = [];
  for (const rule of part.rules) {
    if (rule.names.kind !== 'one') wide.push(rule);
    else single.set(rule.names.name, [...(single.get(rule.names.name) ?? []), rule.formula]);
  }
  const required = new Set(part.required);
  emitter.builder.budget.spend(names.length * (60 + wide.length * 10));
  return names.map((name) => {
    const others = wide.filter((rule) => hasName(rule.names, name)).map(({ formula }) => formula);
    const formula = both(...(single.get(name) ?? []), ...others);
    return { name, isRequired: required.has(name), formula, text: toMember(name, formula) };
  });
}

/** Names that a part knows one by one. */
export function namesOf({ rules, required, some }: ObjectPart): string[] {
  const known = [...rules, ...some].flatMap(({ names }) => {
    if (names.kind === 'one') return [names.name];
    return names.kind === 'others' ? names.names : [];
  });
  return [...new Set([...known, ...required])];
}

/** A name, the colon and a value. */
export function jsonMember(emitter: Emitter): ToMember {
  return (name, formula) => {
    const quoted =
      typeof name === 'string'
        ? alternatives(...stringTexts(emitter, name).map(bytes))
        : emitter.quoted(name, 'printed');
    return inOrder(quoted, bytes(':'), colonGap(emitter.whitespace), emitter.value(formula));
  };
}
