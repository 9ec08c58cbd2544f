import type { Expression } from '../../grammar.js';
import { intersect, isEmpty, subtract, automatonTooLarge, type Automaton } from '../../regular/index.js';
import { namesLanguage } from '../expand/languages.js';
import { both, FALSE, type Formula } from '../shape/formula.js';
import type { ObjectPart } from '../shape/object-part.js';
import { alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import type { ToMember } from './members.js';

/** Sorts of names, by which patterns match them. */
const MAX_REGIONS = 128;

/** Names, and what properties with them hold. */
export interface Region {
  readonly language: Automaton;
  readonly formula: Formula;
}

/** A property whose name is none of `named`; undefined where there is none. Errors: `grammar_too_large`. */
export function otherMembers(
  emitter: Emitter,
  part: ObjectPart,
  named: readonly string[],
  toMember: ToMember,
): Expression | undefined {
  const regions = regionsOf(emitter, part, named);
  if (regions.length === 0) return undefined;
  return alternatives(...regions.map(({ language, formula }) => toMember(language, formula)));
}

/** The names that are none of `named`, by what properties with them hold; without those that nothing may have. */
export function regionsOf({ builder, reader }: Emitter, part: ObjectPart, named: readonly string[]): Region[] {
  const { budget } = builder;
  const languages = new Set<Automaton>();
  for (const { names } of part.rules) {
    if (names.kind === 'pattern') languages.add(names.language);
    if (names.kind === 'others') for (const language of names.languages) languages.add(language);
  }
  const patterns = [...languages];
  // Without other allowed properties their names need not be computed.
  if (patterns.length === 0 && formulaOf(part, new Set()) === FALSE) return [];
  let regions: { language: Automaton; matched: readonly Automaton[] }[] = [
    { language: namesLanguage(reader, { kind: 'others', names: named, languages: [] }), matched: [] },
  ];
  for (const pattern of patterns) {
    regions = regions.flatMap(({ language, matched }) =>
      [
        { language: intersect(language, pattern, budget), matched: [...matched, pattern] },
        { language: subtract(language, pattern, budget), matched },
      ].filter((each) => !isEmpty(each.language)),
    );
    if (regions.length > MAX_REGIONS) throw automatonTooLarge('sorts of property names', MAX_REGIONS);
  }
  return regions
    .map(({ language, matched }) => ({ language, formula: formulaOf(part, new Set(matched)) }))
    .filter(({ formula }) => formula !== FALSE);
}

/** The formula of a property whose name matches these patterns and no others, and is in no rule's list. */
function formulaOf({ rules }: ObjectPart, matched: ReadonlySet<Automaton>): Formula {
  const applies = rules.filter(({ names }) => {
    if (names.kind === 'pattern') return matched.has(names.language);
    return names.kind === 'others' && !names.languages.some((language) => matched.has(language));
  });
  return both(...applies.map(({ formula }) => formula));
}
