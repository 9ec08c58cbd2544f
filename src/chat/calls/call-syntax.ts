import type { ElementSyntax } from './element-syntax.js';

/** A possible next element among calls, after white space, and the state behind it. */
export type CallStep =
  /** This text. If it `closes` the calls it is part of them; otherwise only with a call behind it. */
  | { readonly kind: 'text'; readonly text: string; readonly next: string; readonly closes?: true }
  /** An object with a tool's name and arguments: a whole call. `nameKey`: the key of the tool's name; default `name`. */
  | { readonly kind: 'call'; readonly nameKey?: string; readonly next: string }
  /** A word: the name of the tool, unless another word follows. */
  | { readonly kind: 'name'; readonly next: string }
  /** A word without meaning, such as an id. */
  | { readonly kind: 'word'; readonly next: string }
  /** The object of the arguments: together with the name a whole call. */
  | { readonly kind: 'arguments'; readonly next: string }
  /** The arguments as elements, up to their closing tag: together with the name a whole call. */
  | { readonly kind: 'elements'; readonly syntax: ElementSyntax; readonly next: string };

/** The grammar of a dialect's calls as a graph of states. In a state without next elements the calls are over. */
export interface CallSyntax {
  /** Tags before calls, with the state that each leads to. */
  readonly openers: Readonly<Record<string, string>>;
  /** The state of an answer that begins with a call and no tag; absent where calls need a tag. */
  readonly bare?: string;
  /** Tags that may follow calls, even after other text: each is left out once. */
  readonly closers: readonly string[];
  /** The possible next elements in each state. */
  readonly places: Readonly<Record<string, readonly CallStep[]>>;
}
