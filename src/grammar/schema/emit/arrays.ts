import type { Expression } from '../../grammar.js';
import { automatonTooLarge } from '../../regular/index.js';
import { itemFormula, type ArrayPart } from '../shape/array-part.js';
import { FALSE, both, type Formula } from '../shape/formula.js';
import { bytes, EMPTY, inOrder, maybe, alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import { repeated, repeatedExpression } from './repeat.js';
import { emitUnique } from './unique.js';

/** Items of each count that is kept, of all `contains` together. */
const MAX_COUNTS = 2_000;

const OPEN = bytes('[');
const CLOSE = bytes(']');

/** The texts of the arrays of a part. Errors: `unsupported_schema`, `grammar_too_large`. */
export function emitArray(emitter: Emitter, part: ArrayPart): Expression[] {
  const { inside, gap } = emitter;
  return [inOrder(OPEN, inside.gap, itemsOf(inside, part, gap), CLOSE)];
}

/** All items with their commas, and the gap after the last. */
function itemsOf(emitter: Emitter, part: ArrayPart, gap: Expression): Expression {
  const unique = emitUnique(emitter, part, gap);
  if (unique !== undefined) return unique;
  if (part.contains.length > 0) return countedItems(emitter, part, gap);
  const { builder } = emitter;
  const name = builder.declare();
  builder.define(name, EMPTY);
  const comma = inOrder(bytes(','), emitter.gap);
  const end = Math.max(part.prefix.length, 1);
  /** The items from `index` on; those from `end` on are all alike. */
  const from = (index: number): Expression => {
    if (part.max !== undefined && index >= part.max) return EMPTY;
    const item = emitter.value(itemFormula(part, index));
    if (index >= end) {
      const max = part.max === undefined ? undefined : part.max - index;
      const one = repeatedExpression(`items ${name}`, inOrder(comma, item));
      return repeated(builder, one, Math.max(0, part.min - index), max);
    }
    const rest = builder.later(`items ${name} ${index}`, () => from(index + 1));
    const there = index === 0 ? inOrder(item, rest, gap) : inOrder(comma, item, rest);
    return index < part.min ? there : maybe(there);
  };
  return from(0);
}

/** Items with a required number of matching ones, by the number so far. */
function countedItems(emitter: Emitter, part: ArrayPart, gap: Expression): Expression {
  const { builder, reader } = emitter;
  const { contains } = part;
  const limits = contains.map(({ min, max }) => (max === undefined ? min : max));
  const last = Math.max(1, part.prefix.length, ...contains.map(({ from }) => from), part.max ?? part.min);
  const numStates = limits.reduce((all, limit) => all * (limit + 1), last + 1);
  if (!(numStates <= MAX_COUNTS)) throw automatonTooLarge('counts of items that contains asks for', MAX_COUNTS);
  const name = builder.declare();
  /** Items from `index` on; from `last` on the index stays. */
  const from = (index: number, counts: readonly number[]): Expression =>
    builder.later(`contains ${name} ${index} ${counts.join()}`, () => {
      const isEnough = contains.every(({ min }, i) => (counts[i] ?? 0) >= min) && index >= part.min;
      const end = isEnough ? [index === 0 ? EMPTY : gap] : [];
      if (part.max !== undefined && index >= part.max) return alternatives(...end);
      const next = Math.min(index + 1, last);
      const before = index === 0 ? EMPTY : inOrder(bytes(','), emitter.gap);
      const items = choices(index, counts).map(({ formula, after }) =>
        inOrder(before, emitter.value(formula), from(next, after)),
      );
      return alternatives(...end, ...items);
    });
  /** The possible next items, and the counts after each. */
  const choices = (index: number, counts: readonly number[]): { formula: Formula; after: readonly number[] }[] => {
    let all = [{ formula: itemFormula(part, index), after: counts }];
    contains.forEach((each, i) => {
      if (index < each.from) return;
      const count = counts[i] ?? 0;
      // Without an upper bound an item counts or not as one likes, until enough have counted.
      if (each.max === undefined && count >= each.min) return;
      const other = each.max === undefined ? undefined : reader.negate(each.formula);
      all = all.flatMap(({ formula, after }) => {
        const counted = { formula: both(formula, each.formula), after: after.with(i, count + 1) };
        const passed = { formula: other === undefined ? formula : both(formula, other), after };
        return count < (limits[i] ?? 0) ? [counted, passed] : [passed];
      });
    });
    return all.filter(({ formula }) => formula !== FALSE);
  };
  builder.define(name, EMPTY);
  return from(
    0,
    contains.map(() => 0),
  );
}
