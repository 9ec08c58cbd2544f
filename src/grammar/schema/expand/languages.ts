import { isAppError } from '../../../base/index.js';
import { compileRegex } from '../../regex/index.js';
import { complement, fromTexts, intersect, isEmpty, unite, type Automaton } from '../../regular/index.js';
import { unsupportedKeyword } from '../document/unsupported.js';
import { formats } from '../formats/index.js';
import type { Names } from '../shape/object-part.js';
import { lengthAutomaton } from './lengths.js';
import type { StringPart } from '../shape/string-part.js';
import type { Reader } from './reader.js';

/** The texts that `pattern` finds something in. Errors: `unsupported_schema`. */
export function patternLanguage(reader: Reader, source: unknown, pointer: string, keyword: string): Automaton {
  if (typeof source !== 'string') throw unsupportedKeyword({ pointer, keyword, reason: 'it must be a string' });
  return known(reader, `pattern ${source}`, () => {
    try {
      return compileRegex(source, { anchored: false }, reader.budget);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'invalid_regex') throw error;
      throw unsupportedKeyword({ pointer, keyword, reason: String(error.details['problem']) });
    }
  });
}

/** The texts of a format; undefined for one that is an annotation. */
export function formatLanguage(reader: Reader, name: string): Automaton | undefined {
  const format = formats.get(name);
  return format === undefined ? undefined : known(reader, `format ${name}`, () => format.compile(reader.budget));
}

function known({ languages }: Reader, key: string, make: () => Automaton): Automaton {
  const found = languages.get(key) ?? make();
  languages.set(key, found);
  return found;
}

/** The texts of a part. Errors: `grammar_too_large`. */
export function partLanguage(reader: Reader, part: StringPart): Automaton {
  const { budget } = reader;
  if (part.texts !== undefined) return fromTexts(part.texts, budget);
  const { min, max } = part;
  const languages = [...part.languages];
  if (min > 0 || max !== undefined || languages.length === 0) languages.push(lengthAutomaton(min, max, budget));
  return languages.reduce((all, each) => intersect(all, each, budget));
}

/** The texts of any of the parts. */
export function unionLanguage(reader: Reader, parts: readonly StringPart[]): Automaton {
  const { budget } = reader;
  return parts
    .map((part) => partLanguage(reader, part))
    .reduce((all, each) => unite(all, each, budget), fromTexts([], budget));
}

/** Whether no text holds a part. */
export function isEmptyString(reader: Reader, part: StringPart): boolean {
  return part.languages.length > 1 || (part.languages.length === 1 && part.max !== undefined)
    ? isEmpty(partLanguage(reader, part))
    : false;
}

/** The texts that are such names. */
export function namesLanguage(reader: Reader, names: Names): Automaton {
  const { budget } = reader;
  switch (names.kind) {
    case 'one':
      return fromTexts([names.name], budget);
    case 'pattern':
      return names.language;
    case 'others': {
      const listed = known(reader, `names ${JSON.stringify(names.names.toSorted())}`, () =>
        complement(fromTexts(names.names, budget), budget),
      );
      return names.languages.reduce((all, each) => intersect(all, complement(each, budget), budget), listed);
    }
  }
}
