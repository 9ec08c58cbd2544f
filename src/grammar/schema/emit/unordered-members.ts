import type { Expression } from '../../grammar.js';
import { EMPTY, inOrder, alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import type { ObjectMembers } from './members.js';

/** Properties that may come in any order; each more doubles the rules. */
const MAX_UNORDERED = 8;
/** Limit of other properties that are counted beside them. */
const MAX_COUNTED = 32;

/** The properties in any order; undefined where there are too many. */
export function unorderedMembers(
  { builder }: Emitter,
  { named, other, min, max, comma, gap }: ObjectMembers,
): Expression | undefined {
  const enough = max ?? min;
  if (named.length > MAX_UNORDERED || (other !== undefined && enough > MAX_COUNTED)) return undefined;
  const name = builder.declare();
  builder.define(name, EMPTY);
  const required = named.reduce((mask, { isRequired }, i) => (isRequired ? mask | (1 << i) : mask), 0);
  /** The properties that are still missing; `count`: of all present ones, up to the needed number. */
  const from = (there: number, count: number, isFirst: boolean): Expression =>
    builder.later(`unordered ${name} ${there} ${count} ${isFirst}`, () => {
      const before = isFirst ? EMPTY : comma;
      const isWhole = (there & required) === required && count >= min;
      const end = isWhole ? [isFirst ? EMPTY : gap] : [];
      if (max !== undefined && count >= max) return alternatives(...end);
      const next = (mask: number): Expression => from(mask, Math.min(count + 1, enough), false);
      const more = named.flatMap(({ text }, i) =>
        (there & (1 << i)) === 0 ? [inOrder(before, text, next(there | (1 << i)))] : [],
      );
      return alternatives(...end, ...more, ...(other === undefined ? [] : [inOrder(before, other, next(there))]));
    });
  return from(0, 0, true);
}
