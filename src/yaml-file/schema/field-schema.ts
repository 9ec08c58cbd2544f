// A schema of a configuration file as its readers see it: the part of JSON Schema that we use, and our additions.
// TypeBox keeps the additions and ignores them in checks.

/** The unit of an integer: `5m` is then answered with `write 300`. */
export type Unit = 'seconds' | 'MiB' | 'KiB' | 'days';

/** Our additions to a schema. A type, not an interface: TypeBox needs an index signature. */
export type FieldAnnotations = {
  /** For the reference page: one or two sentences. */
  readonly description?: string;
  /** The name of the value in messages, as in `a runtime`. */
  readonly title?: string;
  /** Words for the required form of a text, as in `host:port`. */
  readonly expected?: string;
  /** A text is checked by the function of this name too. */
  readonly check?: string;
  /** The value may be a secret in the wrong field: no message quotes it. */
  readonly isSecret?: boolean;
  readonly unit?: Unit;
  /** Advice for a missing or empty value, for the message. */
  readonly advice?: string;
};

/** A schema as data. A field with a `default` may be absent in the file, although it is `required` in the result. */
export interface FieldSchema extends FieldAnnotations {
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
