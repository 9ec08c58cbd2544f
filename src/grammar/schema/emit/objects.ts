import type { Expression } from '../../grammar.js';
import type { Keyword } from '../document/unsupported.js';
import { FALSE } from '../shape/formula.js';
import type { ObjectPart } from '../shape/object-part.js';
import { alternatives, bytes, EMPTY, inOrder } from './builder.js';
import { countedMembers, isCounted } from './counted-members.js';
import type { Emitter } from './emitter.js';
import { memberList } from './member-list.js';
import { jsonMember, namedMembers, type ObjectMembers, type ToMember } from './members.js';
import { otherMembers } from './other-members.js';
import { demandSome } from './some-members.js';

const OPEN = bytes('{');
const CLOSE = bytes('}');

/** The texts of the objects of a part; `blame`: the keyword that a message names. Errors: `unsupported_schema`, `grammar_too_large`. */
export function emitObject(emitter: Emitter, part: ObjectPart, blame: Keyword): Expression[] {
  const { inside, gap } = emitter;
  const form: MemberForm = { toMember: jsonMember(inside), comma: inOrder(bytes(','), inside.gap), gap };
  return memberLists(inside, part, blame, form).map((list) => inOrder(OPEN, inside.gap, list, CLOSE));
}

/** How properties are written. */
export interface MemberForm extends Pick<ObjectMembers, 'comma' | 'gap'> {
  readonly toMember: ToMember;
}

/**
 * The properties of the objects of a part, without the brackets around them. Errors: `unsupported_schema`,
 * `grammar_too_large`.
 */
export function memberLists(emitter: Emitter, part: ObjectPart, blame: Keyword, form: MemberForm): Expression[] {
  const { toMember, comma, gap } = form;
  return demandSome(emitter, part, blame).map((object) => {
    const named = namedMembers(emitter, object, toMember);
    const names = named.map(({ name }) => name);
    return listOf(emitter, {
      named: named.filter(({ formula, isRequired }) => formula !== FALSE || isRequired),
      other: otherMembers(emitter, object, names, toMember),
      min: object.min,
      max: object.max,
      comma,
      gap,
    });
  });
}

/** All properties with their commas, and the gap after the last. */
function listOf(emitter: Emitter, members: ObjectMembers): Expression {
  const unordered = emitter.isAnyOrder ? unorderedMembers(emitter, members) : undefined;
  if (unordered !== undefined) return unordered;
  return isCounted(members) ? countedMembers(emitter, members) : memberList(emitter, members);
}

/** Properties that may come in any order; each more doubles the rules. */
const MAX_UNORDERED = 8;
/** Limit of other properties that are counted beside them. */
const MAX_COUNTED = 32;

/** The properties in any order; undefined where there are too many. */
function unorderedMembers(
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
