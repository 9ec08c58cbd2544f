import { isAppError } from '../../../base/index.js';
import { itemFormula, type ArrayPart } from '../shape/array-part.js';
import { FALSE, TRUE, type Formula } from '../shape/formula.js';
import { propertyFormula, type ObjectPart } from '../shape/object-part.js';
import type { Shape } from '../shape/shape.js';
import { isEmptyString } from './languages.js';
import type { Mode, Reader } from './reader.js';

/** Properties within properties that are looked into for a reason why nothing holds a shape. */
const MAX_DEPTH = 3;

/** Whether it shows soon that no value has a shape. False may also mean that it does not show. */
export function isImpossible(reader: Reader, shape: Shape, mode: Mode): boolean {
  return isEmptyShape(reader, shape, mode, MAX_DEPTH);
}

function isEmptyShape(reader: Reader, shape: Shape, mode: Mode, depth: number): boolean {
  const { hasNull, booleans, numbers, strings, arrays, objects } = shape;
  reader.budget.spend(5 + arrays.length + objects.length);
  return (
    !hasNull &&
    booleans.length + numbers.length === 0 &&
    strings.every((part) => isEmptyString(reader, part)) &&
    arrays.every((part) => isEmptyArray(reader, part, mode, depth)) &&
    objects.every((part) => isEmptyObject(reader, part, mode, depth))
  );
}

function isEmptyArray(reader: Reader, part: ArrayPart, mode: Mode, depth: number): boolean {
  const needed = Array.from({ length: Math.min(part.min, part.prefix.length + 1) }, (_, i) => itemFormula(part, i));
  return needed.some((formula) => isEmptyFormula(reader, formula, mode, depth));
}

function isEmptyObject(reader: Reader, part: ObjectPart, mode: Mode, depth: number): boolean {
  return part.required.some((name) => isEmptyFormula(reader, propertyFormula(part, name), mode, depth));
}

function isEmptyFormula(reader: Reader, formula: Formula, mode: Mode, depth: number): boolean {
  if (formula === TRUE || formula === FALSE) return formula === FALSE;
  if (depth === 0 || formula.literals.length < 2) return false;
  try {
    return isEmptyShape(reader, reader.shapeOf(formula, mode), mode, depth - 1);
  } catch (error) {
    // It refers back to the present schema, or cannot be enforced: the error comes at its use.
    if (isAppError(error) && error.code === 'unsupported_schema') return false;
    throw error;
  }
}
