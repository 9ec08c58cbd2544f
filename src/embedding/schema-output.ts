// What a schema's values are, as types: of Standard Schema, and of TypeBox by the shape of its schemas. The declarations of
// this package import no other, so TypeBox's own `Static` cannot stand here; a test compares the two.

/** A step into a value. */
export interface SchemaPathSegment {
  /** A key, or the index in an array. */
  readonly key: PropertyKey;
}

/** A problem that a schema library found in a value. */
export interface SchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where in the value. */
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
  /** What is wrong with it, at least one. */
  readonly issues: readonly SchemaIssue[];
}

/** What a schema library makes of a value. */
export type SchemaResult<Output> = AcceptedValue<Output> | RefusedValue;

/** The types of a schema, for the compiler only. */
export interface SchemaTypes<Input, Output> {
  /** Before transforms. */
  readonly input: Input;
  /** After them. */
  readonly output: Output;
}

/** Which JSON Schema is wanted. */
export interface JsonSchemaOptions {
  /** The draft. */
  readonly target: 'draft-2020-12';
}

/** Writes a schema as JSON Schema. */
export interface JsonSchemaWriter {
  /** Of values before transforms, which are what a model writes. */
  readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
}

/** What the two standards say of a schema. */
export interface StandardProperties<Input, Output> {
  /** The version of Standard Schema. */
  readonly version: 1;
  /** The library. */
  readonly vendor: string;
  /** Checks a value, and transforms it where the schema says so. */
  readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  /** Never there: for the compiler only. */
  readonly types?: SchemaTypes<Input, Output> | undefined;
  /** Where it is absent, no answer can be held to the schema. */
  readonly jsonSchema?: JsonSchemaWriter | undefined;
}

/**
 * A schema of Zod from 4.2 on, ArkType, Valibot and others.
 * Source: standardschema.dev, Standard Schema 1 and Standard JSON Schema 1.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the standards say of it. */
  readonly '~standard': StandardProperties<Input, Output>;
}

/**
 * The values of a schema. For a Standard Schema its output; for a plain JSON Schema `unknown`. For TypeBox its
 * `Static`, with `unknown` instead of `any` and `string` for template literals.
 */
export type SchemaOutput<Schema> =
  Schema extends Has<'~standard', { readonly [_ in 'types']?: infer Types }>
    ? NonNullable<Types> extends Has<'output', infer Output>
      ? Output
      : unknown
    : TypeBoxValue<Schema, object, never>;

/** An object with a key. */
type Has<Key extends PropertyKey, Value> = { readonly [_ in Key]: Value };

/** What an object has under a key. */
type At<Owner, Key extends PropertyKey> = Owner extends Has<Key, infer Value> ? Value : never;

/** The value of a TypeBox schema. `Defs`: what references mean. `Seen`: those that are being resolved. */
type TypeBoxValue<Schema, Defs, Seen> =
  Schema extends Has<'~unsafe', infer Value>
    ? Value
    : At<Schema, '~kind'> extends infer Kind extends keyof KindValues<Schema, Defs, Seen>
      ? [Kind] extends [never]
        ? unknown
        : KindValues<Schema, Defs, Seen>[Kind]
      : unknown;

/** The value of a schema by its kind. A kind that is not here has no form in JSON. */
interface KindValues<Schema, Defs, Seen> {
  /** Items of one schema. */
  readonly Array: MaybeImmutable<Schema, TypeBoxValue<At<Schema, 'items'>, Defs, Seen>[]>;
  /** A flag. */
  readonly Boolean: boolean;
  /** A schema with definitions of its own. */
  readonly Cyclic: Referred<At<Schema, '$defs'>, At<Schema, '$ref'>, Seen>;
  /** One of some values. */
  readonly Enum: ItemOf<At<Schema, 'enum'>>;
  /** A whole number. */
  readonly Integer: number;
  /** What fits several schemas. */
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
  /** An item for each of some schemas. */
  readonly Tuple: MaybeImmutable<Schema, ItemValues<At<Schema, 'items'>, Defs, Seen>>;
  /** What fits one of several schemas. */
  readonly Union: ItemOf<ItemValues<At<Schema, 'anyOf'>, Defs, Seen>>;
}

/** Any of a list. */
type ItemOf<Items> = Items extends readonly (infer Item)[] ? Item : never;

/** The values of a list of schemas. */
type ItemValues<Items, Defs, Seen> = { [Index in keyof Items]: TypeBoxValue<Items[Index], Defs, Seen> };

/** A reference within another that is no object is not followed twice: it could be the same for ever. */
type Referred<Defs, Name, Seen> = Name extends keyof Defs
  ? Defs[Name] extends Has<'~kind', 'Object'>
    ? TypeBoxValue<Defs[Name], Defs, never>
    : Name extends Seen
      ? unknown
      : TypeBoxValue<Defs[Name], Defs, Seen | Name>
  : unknown;

/** A list that may not be changed, where the schema says so. */
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

/** An object of these properties. */
type ObjectValue<Properties, Defs> = keyof Properties extends never
  ? object
  : Flat<
      { -readonly [Key in KeysOf<Properties, false, false>]: TypeBoxValue<Properties[Key], Defs, never> } & {
        -readonly [Key in KeysOf<Properties, true, false>]?: TypeBoxValue<Properties[Key], Defs, never>;
      } & { readonly [Key in KeysOf<Properties, false, true>]: TypeBoxValue<Properties[Key], Defs, never> } & {
        readonly [Key in KeysOf<Properties, true, true>]?: TypeBoxValue<Properties[Key], Defs, never>;
      }
    >;

/** One object of several. */
type Flat<Value> = { [Key in keyof Value]: Value[Key] };

/** What fits all of some schemas. */
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
