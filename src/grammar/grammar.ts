// A grammar before its compilation: the one form that every kind of grammar is read into.

/**
 * A deterministic automaton over bytes. It begins in state 0. Bytes of one class lead to the same states everywhere, so a
 * row has an entry for a class and not for a byte.
 */
export interface Dfa {
  /** [256]: the class of each byte. */
  readonly classOf: Uint8Array;
  readonly numClasses: number;
  /** [states, classes]: the state that follows, -1 where nothing does. */
  readonly transitions: Int32Array;
  /** [states]: 1 where a text may end. */
  readonly accepting: Uint8Array;
}

/** A language over bytes; texts are UTF-8. */
export type Expression =
  /** These bytes; none is the empty text. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** The texts that an automaton accepts. */
  | { readonly kind: 'regular'; readonly dfa: Dfa }
  /** One after the other. */
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  /** One of them; of none, nothing at all. */
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  /** `min` to `max` of them, in a row; without `max` as many as one likes. */
  | { readonly kind: 'repeat'; readonly of: Expression; readonly min: number; readonly max: number | undefined }
  /** A rule of the grammar, by its index: it may lead to itself. */
  | { readonly kind: 'rule'; readonly rule: number };

/** A context-free grammar over bytes. */
export interface Grammar {
  readonly rules: readonly Expression[];
  /** Index of the rule that the whole text follows. */
  readonly start: number;
}
