/** Number of inserted, deleted or changed characters between two words (Levenshtein 1966). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** Longer words than any name of ours are never compared, since the cost grows with their length. */
const MAX_WORD = 64;

/** How many letters of a word may be wrong: a third, and two at least. Beyond that a suggestion is a guess. */
function mostWrong(word: string): number {
  return Math.max(2, Math.floor(word.length / 3));
}

/** A word without the marks of its spelling: `top_p` and `topP` are one. */
function fold(word: string): string {
  return word.toLowerCase().replace(/[_-]/g, '');
}

/** The candidates that `word` may have meant, nearest first, at most `limit`; `most` letters may be wrong. */
export function nearestOf(
  word: string,
  candidates: readonly string[],
  limit: number,
  most: number = mostWrong(word),
): string[] {
  if (word.length > MAX_WORD) return [];
  return candidates
    .filter((candidate) => candidate.length <= 4 * MAX_WORD)
    .map((candidate) => ({
      candidate,
      distance: candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate),
    }))
    .filter(({ distance }) => distance <= most)
    .map((one) => ({ ...one, folded: editDistance(fold(word), fold(one.candidate)) }))
    .toSorted((a, b) => a.distance - b.distance || a.folded - b.folded)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** The candidate nearest to `word`, or undefined when none is near enough. */
export function nearest(word: string, candidates: readonly string[], most?: number): string | undefined {
  return nearestOf(word, candidates, 1, most)[0];
}
