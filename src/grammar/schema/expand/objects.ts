import { entriesInOrder, isJsonObject } from '../../../base/index.js';
import { complement } from '../../regular/index.js';
import { childPart } from '../document/document.js';
import { unsupportedKeyword } from '../document/unsupported.js';
import { FALSE, type SchemaPart } from '../shape/formula.js';
import {
  ANY_OBJECT,
  ALL_NAMES,
  checkObject,
  oneName,
  type NameRule,
  type Names,
  type ObjectPart,
} from '../shape/object-part.js';
import { ANY_STRING } from '../shape/string-part.js';
import { childFormula } from './arrays.js';
import { patternLanguage, unionLanguage } from './languages.js';
import { countOf, textsOf, type Mode, type Reader } from './reader.js';

type Schema = Readonly<Record<string, unknown>>;

const KEYWORDS: readonly string[] = [
  'properties patternProperties additionalProperties propertyNames required minProperties maxProperties',
].flatMap((line) => line.split(' '));

/** The objects that the keywords of a schema allow. Errors: `unsupported_schema`. */
export function readObjects(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode): readonly ObjectPart[] {
  if (!KEYWORDS.some((keyword) => keyword in schema)) return [ANY_OBJECT];
  const { pointer } = place;
  const rules: NameRule[] = [];
  const properties = membersOf(schema, pointer, 'properties');
  for (const [name, each] of properties) {
    rules.push({ names: oneName(name), formula: childFormula(reader, place, each, 'properties', name) });
  }
  const patterns = membersOf(schema, pointer, 'patternProperties').map(([source, each]): NameRule => {
    const language = patternLanguage(reader, source, `${pointer}/patternProperties`, source);
    return {
      names: { kind: 'pattern', language },
      formula: childFormula(reader, place, each, 'patternProperties', source),
    };
  });
  rules.push(...patterns);
  const { additionalProperties, required } = schema;
  if (additionalProperties !== undefined) {
    const languages = patterns.flatMap(({ names }) => (names.kind === 'pattern' ? [names.language] : []));
    const others: Names = { kind: 'others', names: properties.map(([name]) => name), languages };
    rules.push({ names: others, formula: childFormula(reader, place, additionalProperties, 'additionalProperties') });
  }
  const seen = rules.map(({ names }) => names);
  if (schema['propertyNames'] !== undefined) rules.push(...readPropertyNames(reader, schema, place, mode));
  // In draft 3 it was a boolean within the property; people still write that.
  if (required !== undefined && !Array.isArray(required)) {
    throw unsupportedKeyword({ pointer, keyword: 'required', reason: 'it must be a list of names' });
  }
  const part = checkObject({
    ...ANY_OBJECT,
    rules,
    required: required === undefined ? [] : [...new Set(textsOf(required, pointer, 'required'))],
    min: countOf(schema, pointer, 'minProperties') ?? 0,
    max: countOf(schema, pointer, 'maxProperties'),
    seen,
  });
  return part === undefined ? [] : [part];
}

/** The members of a keyword that maps names to schemas. Errors: `unsupported_schema`. */
export function membersOf(schema: Schema, pointer: string, keyword: string): [name: string, value: unknown][] {
  const value = schema[keyword];
  if (value === undefined) return [];
  if (!isJsonObject(value)) throw unsupportedKeyword({ pointer, keyword, reason: 'it must be an object of schemas' });
  const members = entriesInOrder(value);
  if (members.every(([name]) => name.isWellFormed())) return members;
  throw unsupportedKeyword({ pointer, keyword, reason: 'it has a name with a lone surrogate' });
}

/** No property has a name that `propertyNames` does not allow. */
function readPropertyNames(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode): NameRule[] {
  const inner = childPart(reader.document, place, schema['propertyNames'], 'propertyNames');
  const { strings } = reader.shapeOfPlace(inner, { ...mode, isSeen: false });
  const [first] = strings;
  if (first === ANY_STRING) return [];
  if (first === undefined) return [{ names: ALL_NAMES, formula: FALSE }];
  if (strings.every(({ texts }) => texts !== undefined)) {
    const names = strings.flatMap(({ texts = [] }) => texts);
    return [{ names: { kind: 'others', names, languages: [] }, formula: FALSE }];
  }
  const language = complement(unionLanguage(reader, strings), reader.budget);
  return [{ names: { kind: 'pattern', language }, formula: FALSE }];
}
