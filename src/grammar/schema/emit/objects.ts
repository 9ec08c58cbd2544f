import type { Expression } from '../../grammar.js';
import type { Keyword } from '../document/unsupported.js';
import { FALSE } from '../shape/formula.js';
import type { ObjectPart } from '../shape/object-part.js';
import { bytes, inOrder } from './builder.js';
import { countedMembers, isCounted } from './counted-members.js';
import type { Emitter } from './emitter.js';
import { memberList } from './member-list.js';
import { namedMembers, type Members } from './members.js';
import { otherMembers } from './other-members.js';
import { demandSome } from './some-members.js';
import { unorderedMembers } from './unordered-members.js';

const OPEN = bytes('{');
const CLOSE = bytes('}');

/** The texts of the objects of a part; `blame`: the keyword that a message names. Errors: `unsupported_schema`, `grammar_too_large`. */
export function emitObject(emitter: Emitter, part: ObjectPart, blame: Keyword): Expression[] {
  return demandSome(emitter, part, blame).map((object) => {
    const named = namedMembers(emitter, object);
    const others = otherMembers(
      emitter,
      object,
      named.map(({ name }) => name),
    );
    const members: Members = {
      named: named.filter(({ formula, isRequired }) => formula !== FALSE || isRequired),
      other: others,
      min: object.min,
      max: object.max,
    };
    return inOrder(OPEN, emitter.gap, listOf(emitter, members), CLOSE);
  });
}

/** All properties with their commas, and the gap behind the last. */
function listOf(emitter: Emitter, members: Members): Expression {
  const unordered = emitter.isAnyOrder ? unorderedMembers(emitter, members) : undefined;
  if (unordered !== undefined) return unordered;
  return isCounted(members) ? countedMembers(emitter, members) : memberList(emitter, members);
}
