/** How arguments are written as elements of a call: each a key and a value, in the order of the tags. */
export interface ElementSyntax {
  /** Before a key. */
  readonly open: string;
  /** Behind a key. */
  readonly openEnd: string;
  /** Before a value, where a tag of its own stands there; else ''. */
  readonly value: string;
  /** Behind a value: the first one ends it, whatever the value is. */
  readonly close: string;
  /** Behind the last argument: with it the call is whole. */
  readonly end: string;
  /** Whether a line break behind the tag before a value, and one before the tag behind it, are no part of it. */
  readonly hasLines: boolean;
  /** How a text is read of which the tool does not say what it is: as it is, or as JSON where it is some. */
  readonly untyped: 'text' | 'json';
}
