import { unsupportedKeyword } from '../document/unsupported.js';
import { both, TRUE, type Formula, type SchemaPart } from '../shape/formula.js';
import { checkArray, type ArrayPart } from '../shape/array-part.js';
import {
  ALL_NAMES,
  checkObject,
  hasName,
  oneName,
  type NameRule,
  type Names,
  type ObjectPart,
} from '../shape/object-part.js';
import type { Shape } from '../shape/shape.js';
import { childFormula } from './arrays.js';
import { enforce, type Mode, type Reader } from './reader.js';
import { fromTexts, subtract, type Automaton } from '../../regular/index.js';

type Schema = Readonly<Record<string, unknown>>;

/** Whether a schema has a keyword that depends on evaluated members. */
export function asksForSeen(schema: Schema): boolean {
  return schema['unevaluatedProperties'] !== undefined || schema['unevaluatedItems'] !== undefined;
}

/** The shape after `unevaluatedProperties` and `unevaluatedItems`, from that of all other keywords of the schema. */
export function readUnevaluated(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode, before: Shape): Shape {
  const { pointer } = place;
  const add = (shape: Shape, keyword: string, leave: (formula: Formula) => Shape): Shape => {
    const inner = schema[keyword];
    if (inner === undefined) return shape;
    const formula = childFormula(reader, place, inner, keyword);
    return enforce(
      reader,
      mode,
      { pointer, keyword },
      () => leave(formula),
      () => shape,
    );
  };
  const seen = add(before, 'unevaluatedProperties', (formula) => ({
    ...before,
    objects: before.objects.flatMap((part) => seeProperties(reader, part, formula) ?? []),
  }));
  return add(seen, 'unevaluatedItems', (formula) => ({
    ...seen,
    arrays: seen.arrays.flatMap((part) => seeItems(part, formula, pointer) ?? []),
  }));
}

function seeItems(part: ArrayPart, formula: Formula, pointer: string): ArrayPart | undefined {
  if (part.numSeen === Infinity || formula === TRUE) return { ...part, numSeen: Infinity };
  if (part.seesContained) {
    const reason = 'which items contains has looked at is not known beforehand';
    throw unsupportedKeyword({ pointer, keyword: 'unevaluatedItems', reason });
  }
  const length = Math.max(part.prefix.length, part.numSeen);
  const prefix = Array.from({ length }, (_, i) => {
    const own = part.prefix[i] ?? part.rest;
    return i < part.numSeen ? own : both(own, formula);
  });
  return checkArray({ ...part, prefix, rest: both(part.rest, formula), numSeen: Infinity });
}

function seeProperties(reader: Reader, part: ObjectPart, formula: Formula): ObjectPart | undefined {
  const rules = unseenNames(reader, part.seen).map((names): NameRule => ({ names, formula }));
  return checkObject({ ...part, rules: [...part.rules, ...rules], seen: [ALL_NAMES] });
}

/** The names that none of `seen` has. */
function unseenNames(reader: Reader, seen: readonly Names[]): Names[] {
  const names = seen.flatMap((each) => (each.kind === 'one' ? [each.name] : []));
  const languages = seen.flatMap((each) => (each.kind === 'pattern' ? [each.language] : []));
  const wide = seen.flatMap((each) => (each.kind === 'others' ? [each] : []));
  const [first] = wide;
  if (first === undefined) return [{ kind: 'others', names, languages }];
  // Only the rest of `first` can be unevaluated.
  const isSeen = (name: string): boolean => seen.some((each) => hasName(each, name));
  const rest = first.names.filter((name) => !isSeen(name)).map(oneName);
  const patterns = first.languages.filter(
    (language) =>
      !languages.includes(language) && wide.every((each) => each === first || each.languages.includes(language)),
  );
  return [
    ...rest,
    ...patterns.map((language): Names => ({ kind: 'pattern', language: without(reader, language, names, languages) })),
  ];
}

function without(
  reader: Reader,
  language: Automaton,
  names: readonly string[],
  languages: readonly Automaton[],
): Automaton {
  const { budget } = reader;
  const rest = languages.reduce((all, each) => subtract(all, each, budget), language);
  return names.length === 0 ? rest : subtract(rest, fromTexts(names, budget), budget);
}
