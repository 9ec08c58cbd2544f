import { automatonTooLarge, type WorkBudget } from '../../regular/index.js';
import { ANY_ARRAY, meetArrays, negateArray, type ArrayPart } from './array-part.js';
import type { Formula } from './formula.js';
import { ANY_NUMBER, meetNumbers, negateNumber, type NumberPart } from './number-part.js';
import { ANY_OBJECT, meetObjects, negateObject, type ObjectPart } from './object-part.js';
import { ANY_STRING, meetStrings, negateString, type StringPart } from './string-part.js';

/** Alternatives that values of one type may have. */
const MAX_ALTERNATIVES = 512;

/** A set of JSON values: for each type the union of its parts. */
export interface Shape {
  readonly hasNull: boolean;
  readonly booleans: readonly boolean[];
  readonly numbers: readonly NumberPart[];
  readonly strings: readonly StringPart[];
  readonly arrays: readonly ArrayPart[];
  readonly objects: readonly ObjectPart[];
}

/** Any value. */
export const ANYTHING: Shape = {
  hasNull: true,
  booleans: [true, false],
  numbers: [ANY_NUMBER],
  strings: [ANY_STRING],
  arrays: [ANY_ARRAY],
  objects: [ANY_OBJECT],
};

/** No value. */
export const NOTHING: Shape = { hasNull: false, booleans: [], numbers: [], strings: [], arrays: [], objects: [] };

/** Whether it has no part: one that no value holds may still have some. */
export function isNothing(shape: Shape): boolean {
  const { hasNull, booleans, numbers, strings, arrays, objects } = shape;
  return !hasNull && [booleans, numbers, strings, arrays, objects].every(({ length }) => length === 0);
}

/** The context of the algebra of shapes. */
export interface ShapeContext {
  readonly budget: WorkBudget;
  readonly negate: (formula: Formula) => Formula;
}

/** Values of both. Errors: `grammar_too_large`. */
export function meet(a: Shape, b: Shape, { budget }: ShapeContext): Shape {
  if (a === ANYTHING || a === b) return b;
  if (b === ANYTHING) return a;
  return {
    hasNull: a.hasNull && b.hasNull,
    booleans: a.booleans.filter((value) => b.booleans.includes(value)),
    numbers: meetAll(a.numbers, b.numbers, ANY_NUMBER, meetNumbers, budget),
    strings: meetAll(a.strings, b.strings, ANY_STRING, meetStrings, budget),
    arrays: meetAll(a.arrays, b.arrays, ANY_ARRAY, meetArrays, budget),
    objects: meetAll(a.objects, b.objects, ANY_OBJECT, meetObjects, budget),
  };
}

/** Each part of one with each of the other. */
function meetAll<Part>(
  a: readonly Part[],
  b: readonly Part[],
  any: Part,
  meetParts: (a: Part, b: Part) => Part | undefined,
  budget: WorkBudget,
): readonly Part[] {
  if (a.length === 1 && a[0] === any) return b;
  if (b.length === 1 && b[0] === any) return a;
  budget.spend(20 * a.length * b.length);
  const parts = new Set<Part>();
  for (const left of a) {
    for (const right of b) {
      const part = left === right ? left : meetParts(left, right);
      if (part !== undefined) parts.add(part);
    }
  }
  return limited([...parts]);
}

function limited<Part>(parts: readonly Part[]): readonly Part[] {
  if (parts.length > MAX_ALTERNATIVES) throw automatonTooLarge('alternatives of one value', MAX_ALTERNATIVES);
  return parts;
}

/** Values of one of them. Errors: `grammar_too_large`. */
export function join(...shapes: readonly Shape[]): Shape {
  const [first = NOTHING] = shapes;
  if (shapes.length === 1) return first;
  return {
    hasNull: shapes.some(({ hasNull }) => hasNull),
    booleans: [true, false].filter((value) => shapes.some(({ booleans }) => booleans.includes(value))),
    numbers: joinAll(
      shapes.map(({ numbers }) => numbers),
      ANY_NUMBER,
    ),
    strings: joinAll(
      shapes.map(({ strings }) => strings),
      ANY_STRING,
    ),
    arrays: joinAll(
      shapes.map(({ arrays }) => arrays),
      ANY_ARRAY,
    ),
    objects: joinAll(
      shapes.map(({ objects }) => objects),
      ANY_OBJECT,
    ),
  };
}

function joinAll<Part>(lists: readonly (readonly Part[])[], any: Part): readonly Part[] {
  const parts = new Set(lists.flat());
  return parts.has(any) ? [any] : limited([...parts]);
}

/** The complement; undefined where it cannot be expressed. Errors: `grammar_too_large`. */
export function complementShape(shape: Shape, context: ShapeContext): Shape | undefined {
  const { budget, negate } = context;
  const arrays = shape.arrays.map((part) => (part === ANY_ARRAY ? [] : negateArray(part, negate)));
  const known = arrays.flatMap((parts) => (parts === undefined ? [] : [parts]));
  if (known.length < arrays.length) return undefined;
  return {
    hasNull: !shape.hasNull,
    booleans: [true, false].filter((value) => !shape.booleans.includes(value)),
    numbers: meetLists(shape.numbers.map(negateNumber), ANY_NUMBER, meetNumbers, budget),
    strings: meetLists(
      shape.strings.map((part) => negateString(part, budget)),
      ANY_STRING,
      meetStrings,
      budget,
    ),
    arrays: meetLists(known, ANY_ARRAY, meetArrays, budget),
    objects: meetLists(
      shape.objects.map((part) => negateObject(part, negate)),
      ANY_OBJECT,
      meetObjects,
      budget,
    ),
  };
}

function meetLists<Part>(
  lists: readonly (readonly Part[])[],
  any: Part,
  meetParts: (a: Part, b: Part) => Part | undefined,
  budget: WorkBudget,
): readonly Part[] {
  return lists.reduce<readonly Part[]>((all, parts) => meetAll(all, parts, any, meetParts, budget), [any]);
}
