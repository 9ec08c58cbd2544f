import type { ElementSyntax } from './element-syntax.js';

/** What may come at a place among calls, white space before it aside, and the place behind it. */
export type CallStep =
  /** This text. Where it `closes` what calls were in, it is part of them; else only with a call behind it. */
  | { readonly kind: 'text'; readonly text: string; readonly next: string; readonly closes?: true }
  /** An object that says which tool is called and with what: a whole call. `nameKey`: what the tool's name stands behind; `name`. */
  | { readonly kind: 'call'; readonly nameKey?: string; readonly next: string }
  /** A word: the name of the tool, as long as no other comes. */
  | { readonly kind: 'name'; readonly next: string }
  /** A word that says nothing, such as an id. */
  | { readonly kind: 'word'; readonly next: string }
  /** The object of the arguments: with the name before it a whole call. */
  | { readonly kind: 'arguments'; readonly next: string }
  /** The arguments as elements, up to what ends them: with the name before them a whole call. */
  | { readonly kind: 'elements'; readonly syntax: ElementSyntax; readonly next: string };

/** How the calls of a dialect follow one another: a graph of places. Where nothing may come, they are over. */
export interface CallSyntax {
  /** Tags behind which calls come, with the place that each leads to. */
  readonly openers: Readonly<Record<string, string>>;
  /** The place of an answer that begins with a call and no tag; absent where calls need a tag. */
  readonly bare?: string;
  /** Tags that may stand behind calls, even where something else came between: each is left out once. */
  readonly closers: readonly string[];
  /** What may come at each place. */
  readonly places: Readonly<Record<string, readonly CallStep[]>>;
}
