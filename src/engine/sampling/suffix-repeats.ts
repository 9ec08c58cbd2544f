/**
 * For every position of tokenIds[from …] but the last: how many tokens up to and with it equal the last tokens of the
 * text. int32 [length − 1]. Linear. Source: the Z algorithm (Gusfield 1997, section 1.3) on the reversed text.
 */
export function suffixRepeats(tokenIds: readonly number[], from: number): Int32Array {
  const length = tokenIds.length - from;
  const last = tokenIds.length - 1;
  const repeats = new Int32Array(Math.max(0, length - 1));
  // Distances from the end: the stretch [left, right) is known to equal the text's end.
  let left = 0;
  let right = 0;
  for (let back = 1; back < length; back++) {
    const known = back - left === 0 ? 0 : (repeats[length - 1 - (back - left)] as number);
    let same = back < right ? Math.min(right - back, known) : 0;
    while (back + same < length && tokenIds[last - same] === tokenIds[last - back - same]) same++;
    repeats[length - 1 - back] = same;
    if (back + same > right) {
      left = back;
      right = back + same;
    }
  }
  return repeats;
}
