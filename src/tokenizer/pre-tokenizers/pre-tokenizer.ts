/** Words of a text: word i is `units[bounds[2i], bounds[2i + 1])`, UTF-16, in order. */
export interface Pieces {
  readonly units: Uint16Array;
  readonly bounds: readonly number[];
  /** Whether the first word is at the beginning of the whole text. */
  readonly begins: boolean;
}

/** Cuts each piece further. */
export interface PreTokenizer {
  split(pieces: Pieces): Pieces;
  /** Whether the words are bytes from here on (ByteLevel): nothing may cut them after that. */
  readonly toBytes: boolean;
}
