// Types of the values of a schema: from the types of Standard Schema, and from the shape of TypeBox's schemas. The
// declarations of this package import no other package, so they cannot use TypeBox's own `Static`; a test compares
// both.

/** A step into a value. */
export interface SchemaPathSegment {
  /** A key or an array index. */
  readonly key: PropertyKey;
}

/** A problem that a schema library found in a value. */
export interface SchemaIssue {
  /** A description of the problem. */
  readonly message: string;
  /** The path in the value. */
  readonly path?: readonly (PropertyKey | SchemaPathSegment)[] | undefined;
}

/** A value that a schema library accepts. */
export interface AcceptedValue<Output> {
  /** The value, after transforms. */
  readonly value: Output;
  /** Absent. */
  readonly issues?: undefined;
}

/** A value that a schema library refuses. */
export interface RefusedValue {
  /** The problems, at least one. */
  readonly issues: readonly SchemaIssue[];
}

/** The result of validation by a schema library. */
export type SchemaResult<Output> = AcceptedValue<Output> | RefusedValue;

/** The types of a schema, for the compiler only. */
export interface SchemaTypes<Input, Output> {
  /** Before transforms. */
  readonly input: Input;
  /** After them. */
  readonly output: Output;
}

/** Options of the JSON Schema to write. */
export interface JsonSchemaOptions {
  /** The draft. */
  readonly target: 'draft-2020-12';
}

/** Writes a schema as JSON Schema. */
export interface JsonSchemaWriter {
  /** Writes the schema of values before transforms, because a model writes those. */
  readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
}

/** The properties that the two standards define. */
export interface StandardProperties<Input, Output> {
  /** The version of Standard Schema. */
  readonly version: 1;
  /** The name of the library. */
  readonly vendor: string;
  /** Checks a value, and transforms it where the schema says so. */
  readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  /** For the compiler only; absent at run time. */
  readonly types?: SchemaTypes<Input, Output> | undefined;
  /** If it is absent, the schema cannot constrain an answer. */
  readonly jsonSchema?: JsonSchemaWriter | undefined;
}

/**
 * A schema of Zod from 4.2 on, ArkType, Valibot and others.
 * Source: standardschema.dev, Standard Schema 1 and Standard JSON Schema 1.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The properties of both standards. */
  readonly '~standard': StandardProperties<Input, Output>;
}

/**
 * The type of a schema's values. For a Standard Schema it is the output, for a plain JSON Schema `unknown`. For TypeBox
 * it is `Static`, with `unknown` instead of `any` and `string` for template literals.
 */
export type SchemaOutput<Schema> =
  Schema extends Has<'~standard', { readonly [_ in 'types']?: infer Types }>
    ? NonNullable<Types> extends Has<'output', infer Output>
      ? Output
      : unknown
    : TypeBoxValue<Schema, object, never>;

/** An object with a key. */
type Has<Key extends PropertyKey, Value> = { readonly [_ in Key]: Value };

/** The value of an object at a key. */
type At<Owner, Key extends PropertyKey> = Owner extends Has<Key, infer Value> ? Value : never;

/** The value of a TypeBox schema. `Defs`: the targets of references. `Seen`: references that are being resolved. */
type TypeBoxValue<Schema, Defs, Seen> =
  Schema extends Has<'~unsafe', infer Value>
    ? Value
    : At<Schema, '~kind'> extends infer Kind extends keyof KindValues<Schema, Defs, Seen>
      ? [Kind] extends [never]
        ? unknown
        : KindValues<Schema, Defs, Seen>[Kind]
      : unknown;

/** The value of a schema by its kind. Kinds that are absent here cannot be written as JSON. */
interface KindValues<Schema, Defs, Seen> {
  /** A list whose items have one schema. */
  readonly Array: MaybeImmutable<Schema, TypeBoxValue<At<Schema, 'items'>, Defs, Seen>[]>;
  /** A flag. */
  readonly Boolean: boolean;
  /** A schema with definitions of its own. */
  readonly Cyclic: Referred<At<Schema, '$defs'>, At<Schema, '$ref'>, Seen>;
  /** One of some values. */
  readonly Enum: ItemOf<At<Schema, 'enum'>>;
  /** A whole number. */
  readonly Integer: number;
  /** A value that fits several schemas. */
  readonly Intersect: IntersectValue<At<Schema, 'allOf'>, Defs, Seen>;
  /** One value. */
  readonly Literal: At<Schema, 'const'>;
  /** No value. */
  readonly Never: never;
  /** null. */
  readonly Null: null;
  /** A number. */
  readonly Number: number;
  /** An object with properties. */
  readonly Object: ObjectValue<At<Schema, 'properties'>, Defs>;
  /** An object with any keys. */
  readonly Record: RecordValue<At<Schema, 'patternProperties'>, Defs, Seen>;
  /** A schema by its name. */
  readonly Ref: Referred<Defs, At<Schema, '$ref'>, Seen>;
  /** A text. */
  readonly String: string;
  /** A text with a pattern. */
  readonly TemplateLiteral: string;
  /** A list with one item for each schema. */
  readonly Tuple: MaybeImmutable<Schema, ItemValues<At<Schema, 'items'>, Defs, Seen>>;
  /** A value that fits one of several schemas. */
  readonly Union: ItemOf<ItemValues<At<Schema, 'anyOf'>, Defs, Seen>>;
}

/** The type of any item of a list. */
type ItemOf<Items> = Items extends readonly (infer Item)[] ? Item : never;

/** The values of a list of schemas. */
type ItemValues<Items, Defs, Seen> = { [Index in keyof Items]: TypeBoxValue<Items[Index], Defs, Seen> };

/** Within a reference to a non-object, the same reference is not followed twice: the recursion might never end. */
type Referred<Defs, Name, Seen> = Name extends keyof Defs
  ? Defs[Name] extends Has<'~kind', 'Object'>
    ? TypeBoxValue<Defs[Name], Defs, never>
    : Name extends Seen
      ? unknown
      : TypeBoxValue<Defs[Name], Defs, Seen | Name>
  : unknown;

/** A read-only list if the schema is immutable. */
type MaybeImmutable<Schema, Value> = Schema extends Has<'~immutable', true> ? Readonly<Value> : Value;

/** The keys of `Properties` whose schemas are optional or not, and read-only or not. */
type KeysOf<Properties, IsOptional extends boolean, IsReadonly extends boolean> = {
  [Key in keyof Properties]: [
    Properties[Key] extends Has<'~optional', true> ? true : false,
    Properties[Key] extends Has<'~readonly', true> ? true : false,
  ] extends [IsOptional, IsReadonly]
    ? Key
    : never;
}[keyof Properties];

/** An object with these properties. */
type ObjectValue<Properties, Defs> = keyof Properties extends never
  ? object
  : Flat<
      { -readonly [Key in KeysOf<Properties, false, false>]: TypeBoxValue<Properties[Key], Defs, never> } & {
        -readonly [Key in KeysOf<Properties, true, false>]?: TypeBoxValue<Properties[Key], Defs, never>;
      } & { readonly [Key in KeysOf<Properties, false, true>]: TypeBoxValue<Properties[Key], Defs, never> } & {
        readonly [Key in KeysOf<Properties, true, true>]?: TypeBoxValue<Properties[Key], Defs, never>;
      }
    >;

/** Merges intersected objects into one object type. */
type Flat<Value> = { [Key in keyof Value]: Value[Key] };

/** A value that fits all of the schemas. */
type IntersectValue<Parts, Defs, Seen> = Parts extends [infer First, ...infer Rest]
  ? TypeBoxValue<First, Defs, Seen> & IntersectValue<Rest, Defs, Seen>
  : unknown;

/** A record: TypeBox writes the type of its keys as a pattern. */
type RecordValue<Patterns, Defs, Seen> = {
  [Pattern in keyof Patterns as Pattern extends NumberPattern ? number : string]: TypeBoxValue<
    Patterns[Pattern],
    Defs,
    Seen
  >;
};

/** The patterns of integers and numbers as keys. */
type NumberPattern = '^-?(?:0|[1-9][0-9]*)$' | '^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$';
