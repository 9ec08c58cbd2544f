import type { Assertion, CodePointRanges } from '../regular/index.js';

/** A parsed regular expression, with lookaheads and lookbehinds. */
export type RegexNode =
  | { readonly kind: 'set'; readonly set: CodePointRanges }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly of: RegexNode; readonly min: number; readonly max: number | undefined }
  | { readonly kind: 'assertion'; readonly holds: Assertion }
  | LookNode;

/** `(?=…)`, `(?!…)`, `(?<=…)` or `(?<!…)`. */
export interface LookNode {
  readonly kind: 'look';
  readonly isAhead: boolean;
  readonly isNegated: boolean;
  readonly of: RegexNode;
}
