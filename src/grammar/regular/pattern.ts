import { ANY_CODE_POINT, type CodePointRanges } from './code-points.js';
import type { Automaton } from './automaton.js';

/** A condition at a position between two code points. */
export type Assertion = 'start' | 'end' | 'word-boundary' | 'inside-word';

/** A regular expression over code points. */
export type Pattern =
  /** One code point of a set. */
  | { readonly kind: 'set'; readonly set: CodePointRanges }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  /** One of them; of none, nothing at all. */
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  /** `min` to `max` of them; without `max` as many as one likes. */
  | { readonly kind: 'repeat'; readonly of: Pattern; readonly min: number; readonly max: number | undefined }
  | { readonly kind: 'assertion'; readonly holds: Assertion }
  /** The texts that an automaton accepts. */
  | { readonly kind: 'automaton'; readonly automaton: Automaton };

/** One code point of the ranges, as in `chars('az', '09')`. */
export function chars(...ranges: readonly string[]): Pattern {
  const set = ranges.map((range): [number, number] => {
    const [from = '', to = from] = [...range];
    return [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0];
  });
  return { kind: 'set', set: set.toSorted((a, b) => a[0] - b[0]).flat() };
}

/** These code points, in a row. */
export function literal(text: string): Pattern {
  return sequence(...[...text].map((char) => chars(char)));
}

/** One after the other. */
export function sequence(...parts: readonly Pattern[]): Pattern {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'sequence', parts };
}

/** One of them. */
export function choice(...options: readonly Pattern[]): Pattern {
  return options.length === 1 && options[0] !== undefined ? options[0] : { kind: 'choice', options };
}

/** `min` to `max` of them. */
export function repeat(of: Pattern, min: number, max?: number): Pattern {
  return { kind: 'repeat', of, min, max };
}

/** It, or the empty text. */
export function optional(of: Pattern): Pattern {
  return repeat(of, 0, 1);
}

/** Any code point. */
export const ANY_CHAR: Pattern = { kind: 'set', set: ANY_CODE_POINT };
/** Any text. */
export const ANY_TEXT: Pattern = repeat(ANY_CHAR, 0);
