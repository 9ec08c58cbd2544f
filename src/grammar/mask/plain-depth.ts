import { DEAD, type ParseTable } from '../run/index.js';
import { NOT_PLAIN, UTF8 } from './plain-text.js';

/** Characters that are looked ahead where a text is not free for ever: few tokens are longer. */
const MAX_DEPTH = 16;
/** Parse states at one distance: more are no text that is free. */
const MAX_STATES = 64;

/**
 * How many characters of any plain text may follow from a parse state: from 0 to 16, or all, NOT_PLAIN - 1. With
 * `mayEnd` the text may also end after one of them.
 */
export function plainDepth(table: ParseTable, start: number, mayEnd: boolean): number {
  const seen = new Set([start]);
  let reached: readonly number[] = [start];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const next = afterCharacter(table, reached, mayEnd);
    if (next === undefined || next.size > MAX_STATES) return depth;
    reached = [...next].filter((state) => !seen.has(state));
    // Nothing new comes, ever.
    if (reached.length === 0) return NOT_PLAIN - 1;
    for (const state of reached) seen.add(state);
  }
  return MAX_DEPTH;
}

/** The parse states after one plain character; undefined where one is refused, or the text may end and must not. */
function afterCharacter(table: ParseTable, states: readonly number[], mayEnd: boolean): Set<number> | undefined {
  const { classOf } = table.reader;
  const after = new Set<number>();
  const seen = new Set<number>();
  const open: number[] = [...states].map((state) => state * UTF8.length);
  for (const place of open) {
    const state = Math.floor(place / UTF8.length);
    for (const [first, last, next] of UTF8[place % UTF8.length] ?? []) {
      let before = -1;
      for (let byte = first; byte <= last; byte++) {
        const byteClass = classOf[byte] as number;
        if (byteClass === before) continue;
        before = byteClass;
        const reached = table.step(state, byteClass);
        if (reached === DEAD || (!mayEnd && table.canEnd(reached))) return undefined;
        const at = reached * UTF8.length + next;
        if (next === 0) after.add(reached);
        else if (!seen.has(at)) {
          seen.add(at);
          open.push(at);
        }
      }
    }
  }
  return after;
}
