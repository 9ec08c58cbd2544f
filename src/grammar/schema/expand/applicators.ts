import { childPart } from '../document/document.js';
import { unsupportedKeyword, type Keyword } from '../document/unsupported.js';
import { FALSE, type SchemaPart } from '../shape/formula.js';
import { ANY_OBJECT, oneName } from '../shape/object-part.js';
import { ANYTHING, complementShape, join, meet, type Shape } from '../shape/shape.js';
import { readAnyOf, readOneOf } from './alternatives.js';
import { membersOf } from './objects.js';
import { enforce, textsOf, type Mode, type Reader } from './reader.js';

type Schema = Readonly<Record<string, unknown>>;

const STRICT: Mode = { isStrict: true, isSeen: false };

/** The shape after `allOf`, `anyOf` and `oneOf`. Errors: `unsupported_schema`. */
export function readAlternatives(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode, before: Shape): Shape {
  const { pointer } = place;
  const listOf = (keyword: string): SchemaPart[] => {
    const list = schema[keyword];
    if (list === undefined) return [];
    if (!Array.isArray(list) || list.length === 0) {
      throw unsupportedKeyword({ pointer, keyword, reason: 'it must be a list of schemas' });
    }
    return list.map((each: unknown, i) => childPart(reader.document, place, each, keyword, i));
  };
  const add = (shape: Shape, keyword: string, read: (places: readonly SchemaPart[]) => Shape): Shape => {
    const places = listOf(keyword);
    return places.length === 0
      ? shape
      : enforce(
          reader,
          mode,
          { pointer, keyword },
          () => read(places),
          () => shape,
        );
  };
  const inAll = add(before, 'allOf', (places) =>
    places.reduce((all, each) => meet(all, reader.shapeOfPlace(each, mode), reader), before),
  );
  const shapesOf = (places: readonly SchemaPart[], how: Mode): Shape[] =>
    places.map((each) => reader.shapeOfPlace(each, how));
  const inAny = add(inAll, 'anyOf', (places) => readAnyOf(reader, inAll, shapesOf(places, mode), mode));
  return add(inAny, 'oneOf', (places) => {
    const shapes = shapesOf(places, mode).map((shape) => meet(inAny, shape, reader));
    const keyword: Keyword = { pointer, keyword: 'oneOf' };
    // A part left out of a schema would exclude too much of the others, so these must be exclusive by themselves.
    const exclude = (): Shape =>
      readOneOf(reader, shapes, shapesOf(places, { isStrict: true, isSeen: false }), mode, keyword);
    return enforce(reader, mode, keyword, exclude, () => join(...shapes));
  });
}

/** The shape after `dependentRequired`, `dependentSchemas` and `dependencies`. */
export function readDependencies(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode, before: Shape): Shape {
  const keywords = ['dependentRequired', 'dependentSchemas', 'dependencies'];
  return keywords.reduce((shape, keyword) => {
    if (schema[keyword] === undefined) return shape;
    const read = (): Shape =>
      membersOf(schema, place.pointer, keyword).reduce((all, [name, value]) => {
        const isAbsent = [{ ...ANY_OBJECT, rules: [{ names: oneName(name), formula: FALSE }] }];
        const isPresent: Shape = { ...ANYTHING, objects: [{ ...ANY_OBJECT, required: [name] }] };
        const then = meet(isPresent, dependency(reader, place, keyword, name, value, mode), reader);
        return meet(all, { ...ANYTHING, objects: [...isAbsent, ...then.objects] }, reader);
      }, shape);
    return enforce(reader, mode, { pointer: place.pointer, keyword }, read, () => shape);
  }, before);
}

/** The condition where the property is present; values that are no objects are unrestricted. */
function dependency(
  reader: Reader,
  place: SchemaPart,
  keyword: string,
  name: string,
  value: unknown,
  mode: Mode,
): Shape {
  if (keyword === 'dependentRequired' || (keyword === 'dependencies' && Array.isArray(value))) {
    return { ...ANYTHING, objects: [{ ...ANY_OBJECT, required: textsOf(value, `${place.pointer}/${keyword}`, name) }] };
  }
  const shape = reader.shapeOfPlace(childPart(reader.document, place, value, keyword, name), mode);
  return { ...ANYTHING, objects: shape.objects };
}

/** The shape after `if`, `then` and `else`. Errors: `unsupported_schema`. */
export function readConditional(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode, before: Shape): Shape {
  if (schema['if'] === undefined) return before;
  if (schema['then'] === undefined && schema['else'] === undefined && !mode.isSeen) return before;
  const keyword: Keyword = { pointer: place.pointer, keyword: 'if' };
  const branch = (name: string): Shape =>
    schema[name] === undefined
      ? ANYTHING
      : reader.shapeOfPlace(childPart(reader.document, place, schema[name], name), mode);
  const read = (): Shape => {
    // A part left out of a condition would change both its sides, so conditions are always strict.
    const condition = reader.shapeOfPlace(childPart(reader.document, place, schema['if'], 'if'), {
      ...mode,
      isStrict: true,
    });
    const holds = meet(before, condition, reader);
    const fails = meet(before, not(reader, condition, keyword), reader);
    return join(meet(holds, branch('then'), reader), meet(fails, branch('else'), reader));
  };
  return enforce(reader, mode, keyword, read, () => before);
}

/** The shape after `not`. Errors: `unsupported_schema`. */
export function readNot(reader: Reader, schema: Schema, place: SchemaPart, mode: Mode, before: Shape): Shape {
  if (schema['not'] === undefined) return before;
  const keyword: Keyword = { pointer: place.pointer, keyword: 'not' };
  const read = (): Shape => {
    const inner = reader.shapeOfPlace(childPart(reader.document, place, schema['not'], 'not'), STRICT);
    return meet(before, not(reader, inner, keyword), reader);
  };
  return enforce(reader, mode, keyword, read, () => before);
}

/** All other values. Errors: `unsupported_schema`, `grammar_too_large`. */
export function not(reader: Reader, shape: Shape, keyword: Keyword): Shape {
  const others = complementShape(shape, reader);
  if (others !== undefined) return others;
  throw unsupportedKeyword({ ...keyword, reason: 'what uniqueItems excludes cannot be told' });
}
