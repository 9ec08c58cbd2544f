// The formats that a program can request. An answer has one format; two at once are refused (`invalid_value`).

/** A JSON Schema. Drafts 4 to 2020-12, by its `$schema`; without one 2020-12. */
export type JsonSchema = object | boolean;

/** Any text: the same as no format. */
export interface TextFormat {
  /** The kind of format. */
  readonly type: 'text';
}

/** A JSON object. */
export interface JsonObjectFormat {
  /** The kind of format. */
  readonly type: 'json_object';
  /** The schema of the object, as llama.cpp's clients send it. Absent: any object. */
  readonly schema?: JsonSchema | undefined;
}

/** JSON that fits a schema. */
export interface JsonSchemaFormat {
  /** The kind of format. */
  readonly type: 'json_schema';
  /** The schema as OpenAI's clients send it. */
  readonly json_schema?:
    | {
        /** Its name, of 1 to 64 letters, digits, _ and -. The model does not see it. */
        readonly name?: string | undefined;
        /** Its purpose. The model does not see it. */
        readonly description?: string | null | undefined;
        /** The schema. */
        readonly schema?: JsonSchema | undefined;
        /**
         * false: unsupported parts of the schema are left open. Absent or true: they are refused
         * (`unsupported_schema`).
         */
        readonly strict?: boolean | null | undefined;
      }
    | undefined;
  /** The schema as llama.cpp's clients send it. */
  readonly schema?: JsonSchema | undefined;
}

/** The format of an answer in OpenAI's fields. */
export type ResponseFormat = TextFormat | JsonObjectFormat | JsonSchemaFormat;

/** The format of an answer in vLLM's fields. Exactly one field is set. */
export interface StructuredOutputs {
  /** JSON that fits a schema. The schema may be given as text. */
  readonly json?: JsonSchema | string | null | undefined;
  /** true: a JSON object. */
  readonly json_object?: boolean | null | undefined;
  /** A text that a regular expression of ECMA-262 matches as a whole. */
  readonly regex?: string | null | undefined;
  /** One of these texts. */
  readonly choice?: readonly string[] | null | undefined;
  /** A text of a grammar in GBNF, llama.cpp's notation. */
  readonly grammar?: string | null | undefined;
}

/**
 * The format that constrains every token of an answer, in the fields of OpenAI, llama.cpp or vLLM. Reasoning is free;
 * the format applies after it. With tools the answer consists of calls or has the format. An answer that reaches its
 * limit is incomplete.
 */
export interface FormatFields {
  /** Text, a JSON object, or JSON that fits a schema. */
  readonly response_format?: ResponseFormat | null | undefined;
  /** vLLM's field. */
  readonly structured_outputs?: StructuredOutputs | null | undefined;
  /** A schema, or its text: vLLM's field before `structured_outputs`. */
  readonly guided_json?: JsonSchema | string | null | undefined;
  /** A regular expression: vLLM's field before `structured_outputs`. */
  readonly guided_regex?: string | null | undefined;
  /** One of these texts: vLLM's field before `structured_outputs`. */
  readonly guided_choice?: readonly string[] | null | undefined;
  /** A grammar in GBNF: vLLM's field before `structured_outputs`. */
  readonly guided_grammar?: string | null | undefined;
  /** A grammar in GBNF: llama.cpp's field. An empty one is none. */
  readonly grammar?: string | null | undefined;
  /** A schema, or its text: llama.cpp's field. */
  readonly json_schema?: JsonSchema | string | null | undefined;
}
