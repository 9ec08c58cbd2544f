import type { Dialect } from './chat-parser.js';
import { dialects } from './parsers/index.js';

/**
 * The dialect that a model speaks: the first whose tags its chat template mentions, or that its tokenizer has as
 * added tokens; `plain` where none is found.
 */
export function detectDialect(template: string | null, hasAddedToken: (content: string) => boolean): Dialect {
  const knows = (dialect: Dialect): boolean =>
    dialect.tags.some((tag) => (template ?? '').includes(tag) || hasAddedToken(tag));
  return Object.values(dialects).find(knows) ?? dialects.plain;
}
