/** FNV-1a of `sum`, over the words from `at` to `end` (G. Fowler, L. C. Noll, K.-P. Vo). */
export function addWords(sum: i32, at: usize, end: usize): i32 {
  for (; at < end; at += 4) sum = (sum ^ load<i32>(at)) * 0x01000193;
  return sum;
}
