import { intersect, isEmpty, automatonTooLarge } from '../../regular/index.js';
import { unsupportedKeyword, type Keyword } from '../document/unsupported.js';
import { namesLanguage } from '../expand/languages.js';
import { recordUnenforced } from '../expand/reader.js';
import { both, FALSE } from '../shape/formula.js';
import { checkObject, hasName, oneName, type NameRule, type ObjectPart } from '../shape/object-part.js';
import type { Emitter } from './emitter.js';
import { namesOf } from './members.js';
import { regionsOf } from './other-members.js';

/** Objects that one part is made into. */
const MAX_PARTS = 256;

/**
 * Where some property of several names must satisfy something, one of those names must be present: a part for each of
 * them. Errors: `unsupported_schema` for infinitely many names; `grammar_too_large`.
 */
export function demandSome(emitter: Emitter, part: ObjectPart, blame: Keyword): ObjectPart[] {
  const [first, ...rest] = part.some;
  if (first === undefined) return [part];
  const plain: ObjectPart = { ...part, some: rest };
  const names = namesOf(part);
  if (hasOtherNames(emitter, part, names, first)) {
    const reason = 'the objects that it leaves need some property of an unknown name';
    if (emitter.mode.isStrict) throw unsupportedKeyword({ ...blame, reason });
    recordUnenforced(emitter.reader, blame.pointer, blame.keyword);
    return demandSome(emitter, plain, blame);
  }
  const options = names.filter((name) => hasName(first.names, name)).flatMap((name) => demandName(plain, name, first));
  if (options.length > MAX_PARTS) throw automatonTooLarge('objects of which some property is different', MAX_PARTS);
  return options.flatMap((each) => demandSome(emitter, each, blame));
}

function demandName(part: ObjectPart, name: string, { formula }: NameRule): ObjectPart[] {
  const rules = [...part.rules, { names: oneName(name), formula }];
  const demanded = checkObject({ ...part, rules, required: [...new Set([...part.required, name])] });
  return demanded === undefined ? [] : [demanded];
}

/** Whether a property of a name that the part does not list can hold it. */
function hasOtherNames(emitter: Emitter, part: ObjectPart, names: readonly string[], some: NameRule): boolean {
  const language = namesLanguage(emitter.reader, some.names);
  return regionsOf(emitter, part, names).some(
    (region) =>
      both(region.formula, some.formula) !== FALSE &&
      !isEmpty(intersect(region.language, language, emitter.builder.budget)),
  );
}
