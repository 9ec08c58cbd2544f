import type { Expression } from '../../grammar.js';
import { automatonTooLarge } from '../../regular/index.js';
import { EMPTY, inOrder, NEVER, alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import type { ObjectMembers } from './members.js';
import { repeated, repeatedExpression } from './repeat.js';

/** Limit of states of position and count in one object. */
const MAX_COUNTS = 5_000;

/** Whether how many properties there are must be counted. */
export function isCounted({ named, other, min, max }: ObjectMembers): boolean {
  const required = named.filter(({ isRequired }) => isRequired).length;
  const isFull = max !== undefined && (other !== undefined || named.length > max);
  return min > required || isFull;
}

/** The properties in their order, `min` to `max` of them. Errors: `grammar_too_large`. */
export function countedMembers(
  { builder }: Emitter,
  { named, other, min, max, comma, gap }: ObjectMembers,
): Expression {
  const name = builder.declare();
  builder.define(name, EMPTY);
  // More than enough are not counted on.
  const enough = max ?? min;
  const top = Math.min(enough, named.length);
  if ((named.length + 1) * (top + 1) > MAX_COUNTS) throw automatonTooLarge('counts of properties', MAX_COUNTS);
  const from = (index: number, count: number): Expression =>
    builder.later(`members ${name} ${index} ${count}`, () => {
      const member = named[index];
      const before = count === 0 ? EMPTY : comma;
      if (member === undefined) return othersFrom(count);
      const isFull = max !== undefined && count >= max;
      const there = isFull ? NEVER : inOrder(before, member.text, from(index + 1, Math.min(count + 1, enough)));
      return member.isRequired ? there : alternatives(there, from(index + 1, count));
    });
  const othersFrom = (count: number): Expression => {
    const end = count === 0 ? EMPTY : gap;
    if (other === undefined) return count >= min ? end : NEVER;
    const least = Math.max(0, min - count);
    const most = max === undefined ? undefined : max - count;
    const next = (low: number, high: number | undefined): Expression =>
      repeated(builder, repeatedExpression(`others ${name}`, inOrder(comma, other)), low, high);
    if (count > 0) return inOrder(next(least, most), gap);
    const some = inOrder(other, next(Math.max(0, least - 1), most === undefined ? undefined : most - 1), gap);
    if (most === 0) return least === 0 ? EMPTY : NEVER;
    return least === 0 ? alternatives(EMPTY, some) : some;
  };
  return from(0, 0);
}
