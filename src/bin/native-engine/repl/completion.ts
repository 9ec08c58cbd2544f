/** What Tab makes of the text before the cursor, or the choices when there is nothing to add. */
export type TabCompletion =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'choices'; readonly choices: readonly string[] };

/** Completes `head` to what all candidates that begin with it share; candidates are whole lines. */
export function completeLine(head: string, candidates: readonly string[]): TabCompletion {
  const hits = candidates.filter((candidate) => candidate.startsWith(head));
  const [first = ''] = hits;
  const shared = hits.reduce((prefix, hit) => {
    let length = 0;
    while (length < prefix.length && prefix[length] === hit[length]) length++;
    return prefix.slice(0, length);
  }, first);
  if (shared.length > head.length) return { type: 'text', text: shared };
  return { type: 'choices', choices: hits.length > 1 ? hits.map((hit) => hit.trim().split(' ').at(-1) ?? hit) : [] };
}
