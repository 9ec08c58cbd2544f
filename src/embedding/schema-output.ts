// What a schema's values are, as types: of Standard Schema, and of TypeBox by the shape of its schemas. The declarations of
// this package import no other, so TypeBox's own `Static` cannot stand here; a test compares the two.

/** A problem that a schema library found in a value. */
export interface SchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where in the value: keys, or objects that have one. */
  readonly path?: readonly (PropertyKey | { /** The key. */ readonly key: PropertyKey })[] | undefined;
}

/** What a schema library makes of a value: its output, or what is wrong with it. */
export type SchemaResult<Output> =
  | { /** The output. */ readonly value: Output; /** Absent. */ readonly issues?: undefined }
  | { /** What is wrong, at least one. */ readonly issues: readonly SchemaIssue[] };

/** A schema of Zod from 4.2 on, ArkType, Valibot and others. Source: standardschema.dev, Standard Schema 1 and Standard JSON Schema 1. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the two standards say of it. */
  readonly '~standard': {
    /** Of the standard. */
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Checks a value, and transforms it where the schema says so. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** For the compiler only. */
    readonly types?: { /** Before. */ readonly input: Input; /** After. */ readonly output: Output } | undefined;
    /** The schema as JSON Schema. Without it an answer cannot be held to the schema. */
    readonly jsonSchema?: {
      /** Of what comes before transforms, which is what a model writes. */
      readonly input: (options: { /** The draft. */ readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/**
 * The values of a schema: the output of a Standard Schema; what TypeBox calls `Static`, but for `unknown` where that is `any`
 * and `string` for template literals; `unknown` for a plain JSON Schema.
 */
export type SchemaOutput<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : TypeBoxValue<Schema, object, never>;

/** The value of a TypeBox schema. `Defs` are what references mean; `Seen` those that are being resolved. */
type TypeBoxValue<Schema, Defs, Seen> = Schema extends { '~unsafe': infer Value }
  ? Value
  : Schema extends { '~kind': 'Object'; properties: infer Properties }
    ? ObjectValue<Properties, Defs>
    : Schema extends { '~kind': 'Array'; items: infer Item }
      ? MaybeImmutable<Schema, TypeBoxValue<Item, Defs, Seen>[]>
      : Schema extends { '~kind': 'Tuple'; items: infer Items extends unknown[] }
        ? MaybeImmutable<Schema, TupleValue<Items, Defs, Seen>>
        : Schema extends { '~kind': 'Union'; anyOf: infer Options extends unknown[] }
          ? UnionValue<Options, Defs, Seen>
          : Schema extends { '~kind': 'Intersect'; allOf: infer Parts extends unknown[] }
            ? IntersectValue<Parts, Defs, Seen>
            : Schema extends { '~kind': 'Record'; patternProperties: infer Patterns }
              ? RecordValue<Patterns, Defs, Seen>
              : Schema extends { '~kind': 'Literal'; const: infer Value }
                ? Value
                : Schema extends { '~kind': 'Enum'; enum: infer Values extends unknown[] }
                  ? Values[number]
                  : Schema extends { '~kind': 'Cyclic'; $defs: infer Inner; $ref: infer Name }
                    ? Referred<Inner, Name, Seen>
                    : Schema extends { '~kind': 'Ref'; $ref: infer Name }
                      ? Referred<Defs, Name, Seen>
                      : Schema extends { '~kind': infer Kind extends keyof PlainKinds }
                        ? PlainKinds[Kind]
                        : unknown;

/** Kinds whose values need no look at the schema. */
interface PlainKinds {
  /** A flag. */
  readonly Boolean: boolean;
  /** A whole number. */
  readonly Integer: number;
  /** Nothing. */
  readonly Never: never;
  /** null. */
  readonly Null: null;
  /** A number. */
  readonly Number: number;
  /** A text. */
  readonly String: string;
  /** A text with a pattern. */
  readonly TemplateLiteral: string;
}

type Referred<Defs, Name, Seen> = Name extends keyof Defs
  ? Defs[Name] extends { '~kind': 'Object' }
    ? TypeBoxValue<Defs[Name], Defs, never>
    : Name extends Seen
      ? unknown
      : TypeBoxValue<Defs[Name], Defs, Seen | Name>
  : unknown;

type MaybeImmutable<Schema, Value> = Schema extends { '~immutable': true } ? Readonly<Value> : Value;

/** The keys of `Properties` whose schemas are optional or not, and read-only or not. */
type KeysOf<Properties, IsOptional extends boolean, IsReadonly extends boolean> = {
  [Key in keyof Properties]: [
    Properties[Key] extends { '~optional': true } ? true : false,
    Properties[Key] extends { '~readonly': true } ? true : false,
  ] extends [IsOptional, IsReadonly]
    ? Key
    : never;
}[keyof Properties];

type ObjectValue<Properties, Defs> = keyof Properties extends never
  ? object
  : Flat<
      { -readonly [Key in KeysOf<Properties, false, false>]: TypeBoxValue<Properties[Key], Defs, never> } & {
        -readonly [Key in KeysOf<Properties, true, false>]?: TypeBoxValue<Properties[Key], Defs, never>;
      } & { readonly [Key in KeysOf<Properties, false, true>]: TypeBoxValue<Properties[Key], Defs, never> } & {
        readonly [Key in KeysOf<Properties, true, true>]?: TypeBoxValue<Properties[Key], Defs, never>;
      }
    >;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };

type TupleValue<Items extends unknown[], Defs, Seen> = {
  [Index in keyof Items]: TypeBoxValue<Items[Index], Defs, Seen>;
};

type UnionValue<Options extends unknown[], Defs, Seen> = {
  [Index in keyof Options]: TypeBoxValue<Options[Index], Defs, Seen>;
}[number];

type IntersectValue<Parts extends unknown[], Defs, Seen> = Parts extends [infer First, ...infer Rest]
  ? TypeBoxValue<First, Defs, Seen> & IntersectValue<Rest, Defs, Seen>
  : unknown;

/** TypeBox writes the type of a record's keys as a pattern. */
type RecordValue<Patterns, Defs, Seen> = {
  [Pattern in keyof Patterns as Pattern extends NumberPattern ? number : string]: TypeBoxValue<
    Patterns[Pattern],
    Defs,
    Seen
  >;
};

/** The patterns of records with integers and numbers as keys. */
type NumberPattern = '^-?(?:0|[1-9][0-9]*)$' | '^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$';
