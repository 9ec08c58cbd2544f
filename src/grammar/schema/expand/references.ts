import { resolve, type ReferenceKeyword } from '../document/references.js';
import type { SchemaPlace } from '../shape/formula.js';
import { meet, type Shape } from '../shape/shape.js';
import { enforce, type Mode, type Reader } from './reader.js';

const KEYWORDS: readonly ReferenceKeyword[] = ['$ref', '$dynamicRef', '$recursiveRef'];

/** The shape after the references of a schema. Errors: `unsupported_schema`. */
export function readReference(
  reader: Reader,
  schema: Readonly<Record<string, unknown>>,
  place: SchemaPlace,
  mode: Mode,
  before: Shape,
): Shape {
  return KEYWORDS.filter((keyword) => schema[keyword] !== undefined).reduce<Shape>((shape, keyword) => {
    const read = (): Shape => {
      const target = resolve(reader.document, place, keyword, schema[keyword]);
      return meet(shape, reader.shapeOfPlace(target, mode), reader);
    };
    return enforce(reader, mode, { pointer: place.pointer, keyword }, read, () => shape);
  }, before);
}
