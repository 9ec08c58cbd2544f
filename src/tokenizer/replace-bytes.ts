/**
 * `bytes[start, end)` with `to` wherever `from`, which is not empty, stands in it: written to `out` from `at` on. Gives how many
 * bytes that are. In UTF-8 it is what `replaceAll` is for strings, since no character begins within another.
 */
export function replaceBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
  from: Uint8Array,
  to: Uint8Array,
  out: Uint8Array,
  at: number,
): number {
  let written = at;
  for (let i = start; i < end;) {
    let same = 0;
    while (same < from.length && i + same < end && bytes[i + same] === from[same]) same++;
    if (same < from.length) {
      out[written++] = bytes[i++] as number;
      continue;
    }
    for (let j = 0; j < to.length; j++) out[written++] = to[j] as number;
    i += from.length;
  }
  return written - at;
}
