/**
 * Reads one word of each line of the first cache in `bytes` (a multiple of 256) from `from` on, all at once: what is needed next then comes
 * from memory while something else is worked on, where its own loads would wait for one line after the other. Their
 * sum is stored, or the compiler would leave the loads out.
 */
export function fetchAhead(from: usize, bytes: usize, sink: usize): void {
  let sum = 0;
  for (const end = from + bytes; from < end; from += 256) {
    sum += load<i32>(from) + load<i32>(from, 64) + load<i32>(from, 128) + load<i32>(from, 192);
  }
  store<i32>(sink, sum);
}
