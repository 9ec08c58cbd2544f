import type { Expression } from '../../grammar.js';
import { EMPTY, inOrder, maybe, alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import type { NamedProperty, ObjectMembers } from './members.js';

/**
 * Size of a block of optional properties at the start, any of which may be the first: each block is emitted before the
 * next.
 */
const BLOCK = 12;

/** The properties in their order, with commas, and the gap after the last. */
export function memberList(emitter: Emitter, { named, other, comma, gap }: ObjectMembers): Expression {
  const first = named.findIndex(({ isRequired }) => isRequired);
  const others: Expression =
    other === undefined ? EMPTY : { kind: 'repeat', of: inOrder(comma, other), min: 0, max: undefined };
  const behind = (member: NamedProperty): Expression => {
    const one = inOrder(comma, member.text);
    return member.isRequired ? one : maybe(one);
  };
  if (first >= 0) {
    // Before a required one, each has its comma behind it; after it, before it.
    const before = named.slice(0, first).map(({ text }) => maybe(inOrder(text, comma)));
    const required = named[first]?.text ?? EMPTY;
    return inOrder(...before, required, ...named.slice(first + 1).map(behind), others, gap);
  }
  const alone = other === undefined ? [] : [inOrder(other, others, gap)];
  return alternatives(EMPTY, ...blocksOf(emitter, named, behind, inOrder(others, gap)), ...alone);
}

/** Any of the properties as the first, and those after it. */
function blocksOf(
  { builder }: Emitter,
  named: readonly NamedProperty[],
  behind: (member: NamedProperty) => Expression,
  end: Expression,
): Expression[] {
  const options: Expression[] = [];
  // From the last block to the first, so that each rule has those after it.
  let after = end;
  for (let start = Math.floor(Math.max(0, named.length - 1) / BLOCK) * BLOCK; start >= 0; start -= BLOCK) {
    const block = named.slice(start, start + BLOCK);
    const tail = after;
    options.push(...block.map(({ text }, i) => inOrder(text, ...block.slice(i + 1).map(behind), tail)));
    const rule = builder.declare();
    builder.define(rule, inOrder(...block.map(behind), tail));
    after = { kind: 'rule', rule };
  }
  return options.toReversed();
}
