import type { Expression } from '../../grammar.js';
import { bytes, EMPTY, inOrder, oneOf } from './builder.js';
import type { Emitter } from './emitter.js';
import { isCounted } from './counted-members.js';
import type { Members } from './members.js';

/** Properties that may come in any order; each more doubles the rules. */
export const MAX_UNORDERED = 8;

/** The properties in any order; undefined where there are too many, or they must be counted. */
export function unorderedMembers(emitter: Emitter, members: Members): Expression | undefined {
  const { named, other } = members;
  if (named.length > MAX_UNORDERED || isCounted(members)) return undefined;
  const { builder, gap } = emitter;
  const name = builder.declare();
  builder.define(name, EMPTY);
  const comma = inOrder(bytes(','), gap);
  const required = named.reduce((mask, { isRequired }, i) => (isRequired ? mask | (1 << i) : mask), 0);
  /** Those that have not been there yet; the first has no comma before it. */
  const from = (there: number, isFirst: boolean): Expression =>
    builder.later(`unordered ${name} ${there} ${isFirst}`, () => {
      const before = isFirst ? EMPTY : comma;
      const end = (there & required) === required ? [isFirst ? EMPTY : gap] : [];
      const next = named.flatMap(({ text }, i) =>
        (there & (1 << i)) === 0 ? [inOrder(before, text, from(there | (1 << i), false))] : [],
      );
      const others = other === undefined ? [] : [inOrder(before, other, from(there, false))];
      return oneOf(...end, ...next, ...others);
    });
  return from(0, true);
}
