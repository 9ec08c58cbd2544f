// A schema of a configuration file as its readers see it: the part of JSON Schema that we use, and what we add to it. TypeBox
// keeps the added words as they are and checks nothing by them.

/** What an integer counts, so that `5m` can be answered with `write 300`. */
export type Unit = 'seconds' | 'MiB' | 'KiB' | 'days';

/** What we add to a schema. A type, not an interface: TypeBox wants an index signature. */
export type FieldNotes = {
  /** For the reference page: one or two sentences. */
  readonly description?: string;
  /** What the value is called in messages, as in `a runtime`. */
  readonly title?: string;
  /** Words for what a text must be, as in `host:port`. */
  readonly expected?: string;
  /** A text is checked by the function of this name too. */
  readonly check?: string;
  /** The value may be a secret in the wrong field: no message quotes it. */
  readonly isSecret?: boolean;
  readonly unit?: Unit;
  /** What to write where the value is left out or empty; said in the message. */
  readonly advice?: string;
};

/** A schema as data. A field with a `default` may be left out of the file, although it is `required` of what is read. */
export interface FieldSchema extends FieldNotes {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[] | undefined;
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}
