import { unsupportedKeyword } from '../document/unsupported.js';
import type { SchemaPart } from '../shape/formula.js';
import { ANY_NUMBER, meetNumbers, type NumberPart } from '../shape/number-part.js';
import { ANYTHING, meet, type Shape } from '../shape/shape.js';
import { readArrays } from './arrays.js';
import { readObjects } from './objects.js';
import { enforce, type Mode, type Reader } from './reader.js';
import { readNumbers, readStrings } from './scalars.js';

type Schema = Readonly<Record<string, unknown>>;

const TYPES: readonly string[] = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

/** Keywords that are read together, since their meanings depend on one another. Each group may be left out as a whole. */
const GROUPS: readonly (readonly string[])[] = [
  ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ['multipleOf'],
  ['minLength', 'maxLength'],
  ['pattern'],
  ['format'],
  ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems'],
  ['uniqueItems'],
  ['contains', 'minContains', 'maxContains'],
  ['properties', 'patternProperties', 'additionalProperties'],
  ['propertyNames'],
  ['required'],
  ['minProperties', 'maxProperties'],
];

/** The values of the types of a schema that its keywords for these types allow. Errors: `unsupported_schema`. */
export function readTypes(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode): Shape {
  const types = typesOf(schema['type'], place.pointer);
  const read = (part: Schema): Shape => ({
    hasNull: types.includes('null'),
    booleans: types.includes('boolean') ? [true, false] : [],
    numbers: readNumericTypes(types, part, place.pointer),
    strings: types.includes('string') ? readStrings(reader, part, place.pointer) : [],
    arrays: types.includes('array') ? readArrays(reader, part, place) : [],
    objects: types.includes('object') ? readObjects(reader, part, place, mode) : [],
  });
  if (mode.isStrict) return read(schema);
  // Unsupported keywords are left out by groups; a schema without one of them allows more.
  const groups = GROUPS.map((names) =>
    Object.fromEntries(Object.entries(schema).filter(([name]) => names.includes(name))),
  );
  return groups
    .filter((group) => Object.keys(group).length > 0)
    .reduce<Shape>((shape, group) => {
      const [keyword = ''] = Object.keys(group);
      const { pointer } = place;
      return meet(
        shape,
        enforce(
          reader,
          mode,
          { pointer, keyword },
          () => read(group),
          () => ANYTHING,
        ),
        reader,
      );
    }, read({}));
}

function readNumericTypes(types: readonly string[], schema: Schema, pointer: string): readonly NumberPart[] {
  if (types.includes('number')) return readNumbers(schema, pointer);
  if (!types.includes('integer')) return [];
  return readNumbers(schema, pointer).flatMap((part) => meetNumbers(part, { ...ANY_NUMBER, isWhole: true }) ?? []);
}

function typesOf(type: unknown, pointer: string): readonly string[] {
  if (type === undefined) return TYPES;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const known = types.filter((each): each is string => typeof each === 'string' && TYPES.includes(each));
  if (known.length === types.length) return known;
  throw unsupportedKeyword({ pointer, keyword: 'type', reason: `the types are ${TYPES.join(', ')}` });
}
