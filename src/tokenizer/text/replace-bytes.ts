import type { JoinedTexts, TextJoiner } from '../../base/index.js';

/**
 * Writes `bytes[start, end)` with every `from`, which is not empty, replaced by `to`, to `out` from `at` on. Returns
 * the number of written bytes. In UTF-8 this equals `replaceAll` of strings, since no character begins within another.
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

/** Adds the texts `[first, last)` of `texts` with every `from` replaced by `to`, which is not longer. */
export function addReplaced(
  { bytes, offsets }: JoinedTexts,
  first: number,
  last: number,
  from: Uint8Array,
  to: Uint8Array,
  out: TextJoiner,
): void {
  const room = out.roomFor((offsets[last] as number) - (offsets[first] as number));
  const head = from[0] as number;
  let written = out.end;
  for (let i = first, at = offsets[first] as number; i < last; i++) {
    const begin = written;
    const end = offsets[i + 1] as number;
    while (at < end) {
      const byte = bytes[at] as number;
      let same = byte === head ? 1 : 0;
      while (same > 0 && same < from.length) {
        if (at + same < end && bytes[at + same] === from[same]) same++;
        else same = 0;
      }
      if (same === 0) {
        room[written++] = byte;
        at++;
        continue;
      }
      for (let j = 0; j < to.length; j++) room[written++] = to[j] as number;
      at += from.length;
    }
    out.close(written - begin);
  }
}
