import type { ModelDialect } from './chat-parser.js';
import { dialects } from './parsers/index.js';

/**
 * The dialect of a model. Candidates have a mark in its chat template; without any, those with an added token of the
 * tokenizer as a mark. The template's most mentioned tags and words decide, then the most tags in the tokenizer, then
 * the fewest other tags. `plain` where no mark is found.
 */
export function detectDialect(template: string | null, hasAddedToken: (content: string) => boolean): ModelDialect {
  return chooseDialect(Object.values(dialects), template, hasAddedToken) ?? dialects.plain;
}

/** The dialect of `known` that `detectDialect` describes; undefined without a mark. The first of equals. */
export function chooseDialect(
  known: readonly ModelDialect[],
  template: string | null,
  hasAddedToken: (content: string) => boolean,
): ModelDialect | undefined {
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

/** Compares by the first differing number. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
