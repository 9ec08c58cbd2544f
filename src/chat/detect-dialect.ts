import type { Dialect } from './chat-parser.js';
import { dialects } from './parsers/index.js';

/**
 * The dialect that a model speaks, among those of which its chat template has a mark; where it has none of any, among those
 * of which the tokenizer has one as an added token. It is the one of which the template mentions most tags and words, or,
 * where it mentions as many of several, the one of which the tokenizer has most tags; then the one with the fewest tags
 * besides. `plain` where no mark is found.
 */
export function detectDialect(template: string | null, hasAddedToken: (content: string) => boolean): Dialect {
  return chooseDialect(Object.values(dialects), template, hasAddedToken) ?? dialects.plain;
}

/** The one of `known` that `detectDialect` describes; undefined where no mark of any is found. Of equals the first. */
export function chooseDialect(
  known: readonly Dialect[],
  template: string | null,
  hasAddedToken: (content: string) => boolean,
): Dialect | undefined {
  const mentions = (text: string): boolean => template?.includes(text) === true;
  const byTemplate = known.filter(({ marks }) => marks.some(mentions));
  const found = byTemplate.length > 0 ? byTemplate : known.filter(({ marks }) => marks.some(hasAddedToken));
  const scored = found.map((dialect) => {
    const { tags, words = [] } = dialect;
    const score = [[...tags, ...words].filter(mentions).length, tags.filter(hasAddedToken).length, -tags.length];
    return { dialect, score };
  });
  return scored.toSorted((a, b) => compare(b.score, a.score))[0]?.dialect;
}

/** By the first number that differs. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
