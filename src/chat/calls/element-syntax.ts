/** The syntax of arguments as elements of a call: each a key and a value, in the order of the tags. */
export interface ElementSyntax {
  /** Before a key. */
  readonly open: string;
  /** Behind a key. */
  readonly openEnd: string;
  /** Before a value, where it has a tag of its own; otherwise ''. */
  readonly value: string;
  /** Behind a value: its first occurrence ends the value, whatever its type. */
  readonly close: string;
  /** Behind the last argument: it completes the call. */
  readonly end: string;
  /** Whether a line break after the tag before a value, and one before the tag after it, are not part of the value. */
  readonly hasLines: boolean;
  /** How a text without a type in the tool's schema is read: as a string, or as JSON where it is valid JSON. */
  readonly untyped: 'text' | 'json';
}
