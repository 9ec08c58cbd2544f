import { isAppError } from '../base/index.js';
import type { Constraint } from '../grammar/index.js';

/**
 * Number of a completion's last tokens that are compared. Wanted repetitions are shorter. A table of 256 zero bytes in
 * C has some 1,000 tokens. One sentence of nine tokens written 200 times has 1,800, a line of 80 equal signs 80 at
 * most.
 */
export const ENDLESS_TOKENS = 2048;
/** The longest cycle: the compared tokens are eight copies of it at least. A verse has under 100 tokens, a page of text 600. */
const MAX_CYCLE = ENDLESS_TOKENS / 8;
/** New tokens between two checks, each of which takes some microseconds. */
const STRIDE = 256;

/**
 * Whether a completion repeats itself without end: its last 2,048 tokens are copies of at most 256 tokens, with the
 * last copy possibly incomplete. Checked at every 256th token only. Source of the search: Knuth, Morris and Pratt 1977;
 * the shortest cycle of a text is its length less that of its longest border.
 */
export function isEndless(tokenIds: readonly number[], promptLength: number): boolean {
  const numGenerated = tokenIds.length - promptLength;
  if (numGenerated < ENDLESS_TOKENS || numGenerated % STRIDE !== 0) return false;
  const from = tokenIds.length - ENDLESS_TOKENS;
  const at = (index: number): number => tokenIds[from + index] as number;
  // borders[i]: the longest proper beginning of the first i + 1 tokens that they end with too.
  const borders = new Uint16Array(ENDLESS_TOKENS);
  for (let i = 1, border = 0; i < ENDLESS_TOKENS; i++) {
    while (border > 0 && at(i) !== at(border)) border = borders[border - 1] as number;
    if (at(i) === at(border)) border++;
    borders[i] = border;
  }
  return ENDLESS_TOKENS - (borders[ENDLESS_TOKENS - 1] as number) <= MAX_CYCLE;
}

/**
 * Whether a constraint leaves the next token to the model: it allows at least an eighth of all tokens, as within the
 * texts of JSON. A demanded text, such as an array of a thousand numbers, may repeat itself.
 */
export function leavesFree(constraint: Constraint | undefined, vocabSize: number): boolean {
  const allowed = toMask(constraint);
  if (allowed === undefined) return true;
  let count = 0;
  for (const word of allowed) for (let left = word; left !== 0; left &= left - 1) count++;
  return count >= vocabSize / 8;
}

/** A text that is too slow to follow is refused when its next token is sampled; until then it allows no token. */
function toMask(constraint: Constraint | undefined): Constraint['allowed'] {
  try {
    return constraint?.allowed;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return new Uint32Array();
  }
}
