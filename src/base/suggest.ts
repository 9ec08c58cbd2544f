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

/**
 * The candidate nearest to `word`, or undefined when none is near enough to have been meant. At most `limit` letters may be
 * wrong; by default a third of the word, and two at least: further away a suggestion is a guess.
 */
export function nearest(
  word: string,
  candidates: readonly string[],
  limit: number = Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  let best: string | undefined;
  let bestDistance = limit + 1;
  // Words longer than any of ours cannot be meant, and the cost grows with their length.
  if (word.length > 64) return undefined;
  for (const candidate of candidates) {
    const distance = candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` Did you mean X?`, or nothing when no candidate is near. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}
