import { acceptsText, type Automaton } from '../../regular/index.js';
import { both, FALSE, TRUE, type Formula } from './formula.js';
import { lesser } from './string-part.js';

/** Names of properties. */
export type Names =
  | { readonly kind: 'one'; readonly name: string }
  | { readonly kind: 'pattern'; readonly language: Automaton }
  /** All that are neither listed nor accepted. */
  | { readonly kind: 'others'; readonly names: readonly string[]; readonly languages: readonly Automaton[] };

/** The formula of properties with some names, wherever they are. */
export interface NameRule {
  readonly names: Names;
  readonly formula: Formula;
}

/** Objects that hold all of this. */
export interface ObjectPart {
  readonly rules: readonly NameRule[];
  /** Names that are there, in the order of the schema. */
  readonly required: readonly string[];
  readonly min: number;
  readonly max: number | undefined;
  /** For each: some property with such a name holds the formula. */
  readonly some: readonly NameRule[];
  /** Names that a keyword has looked at, for `unevaluatedProperties`. */
  readonly seen: readonly Names[];
}

/** Any object. */
export const ANY_OBJECT: ObjectPart = { rules: [], required: [], min: 0, max: undefined, some: [], seen: [] };
/** Any name. */
export const ALL_NAMES: Names = { kind: 'others', names: [], languages: [] };

/** The names that are this one. */
export function oneName(name: string): Names {
  return { kind: 'one', name };
}

/** Whether a name is one of them. */
export function hasName(names: Names, name: string): boolean {
  switch (names.kind) {
    case 'one':
      return names.name === name;
    case 'pattern':
      return acceptsText(names.language, name);
    case 'others':
      return !names.names.includes(name) && !names.languages.some((language) => acceptsText(language, name));
  }
}

/** The formula of a property of this name. */
export function propertyFormula({ rules }: ObjectPart, name: string): Formula {
  return both(...rules.filter(({ names }) => hasName(names, name)).map(({ formula }) => formula));
}

/** The intersection; undefined where it is empty. */
export function meetObjects(a: ObjectPart, b: ObjectPart): ObjectPart | undefined {
  return checkObject({
    rules: [...a.rules, ...b.rules.filter((rule) => !a.rules.includes(rule))],
    required: [...new Set([...a.required, ...b.required])],
    min: Math.max(a.min, b.min),
    max: lesser(a.max, b.max),
    some: [...a.some, ...b.some],
    seen: [...a.seen, ...b.seen.filter((names) => !a.seen.includes(names))],
  });
}

/** It; undefined where it shows at once that nothing holds it. */
export function checkObject(part: ObjectPart): ObjectPart | undefined {
  const max = part.max ?? Infinity;
  if (Math.max(part.min, part.required.length) > max) return undefined;
  const forbidding = part.rules.filter(({ formula }) => formula === FALSE);
  return part.required.some((name) => forbidding.some(({ names }) => hasName(names, name))) ? undefined : part;
}

/** The objects that do not hold it, as the union of parts. */
export function negateObject(part: ObjectPart, negate: (formula: Formula) => Formula): ObjectPart[] {
  const parts: ObjectPart[] = part.required.map((name) => ({
    ...ANY_OBJECT,
    rules: [{ names: oneName(name), formula: FALSE }],
  }));
  if (part.min > 0) parts.push({ ...ANY_OBJECT, max: part.min - 1 });
  if (part.max !== undefined) parts.push({ ...ANY_OBJECT, min: part.max + 1 });
  for (const { names, formula } of part.rules) {
    if (formula === TRUE) continue;
    const other = { names, formula: negate(formula) };
    if (names.kind === 'one') parts.push({ ...ANY_OBJECT, rules: [other], required: [names.name] });
    else parts.push({ ...ANY_OBJECT, some: [other] });
  }
  for (const { names, formula } of part.some) {
    parts.push({ ...ANY_OBJECT, rules: [{ names, formula: negate(formula) }] });
  }
  return parts;
}
