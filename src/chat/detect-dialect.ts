import type { Dialect } from './chat-parser.js';
import { dialects } from './parsers/index.js';

/**
 * The dialect that a model speaks: the one of which its chat template mentions most tags, or, where it mentions as many of
 * several, the one of which its tokenizer has most as added tokens; then the one with the fewest tags besides. `plain`
 * where no tag is found.
 */
export function detectDialect(template: string | null, hasAddedToken: (content: string) => boolean): Dialect {
  return chooseDialect(Object.values(dialects), template, hasAddedToken) ?? dialects.plain;
}

/** The one of `known` that `detectDialect` describes; undefined where no tag of any is found. Of equals the first. */
export function chooseDialect(
  known: readonly Dialect[],
  template: string | null,
  hasAddedToken: (content: string) => boolean,
): Dialect | undefined {
  const scored = known.map((dialect) => {
    const mentioned = dialect.tags.filter((tag) => template?.includes(tag)).length;
    const added = dialect.tags.filter(hasAddedToken).length;
    return { dialect, score: [mentioned, added, -dialect.tags.length] };
  });
  const found = scored.filter(({ score: [mentioned = 0, added = 0] }) => mentioned + added > 0);
  return found.toSorted((a, b) => compare(b.score, a.score))[0]?.dialect;
}

/** By the first number that differs. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
