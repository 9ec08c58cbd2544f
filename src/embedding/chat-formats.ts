// What a program can ask of the form of an answer. An answer has one format; two at once are refused (`invalid_value`).

/** A JSON Schema. Drafts 4 to 2020-12, by its `$schema`; without one 2020-12. */
export type JsonSchema = object | boolean;

/** Any text: the same as no format. */
export interface TextFormat {
  /** What kind of format it is. */
  readonly type: 'text';
}

/** A JSON object. */
export interface JsonObjectFormat {
  /** What kind of format it is. */
  readonly type: 'json_object';
  /** The schema that it fits, as llama.cpp's clients send it. Absent: any object. */
  readonly schema?: JsonSchema | undefined;
}

/** JSON that fits a schema. */
export interface JsonSchemaFormat {
  /** What kind of format it is. */
  readonly type: 'json_schema';
  /** The schema as OpenAI's clients send it. */
  readonly json_schema?:
    | {
        /** Its name, of 1 to 64 letters, digits, _ and -. It is not shown to the model. */
        readonly name?: string | undefined;
        /** What it is for. It is not shown to the model. */
        readonly description?: string | null | undefined;
        /** The schema. */
        readonly schema?: JsonSchema | undefined;
        /** false: what of the schema cannot be held is left open. Absent or true: it is refused (`unsupported_schema`). */
        readonly strict?: boolean | null | undefined;
      }
    | undefined;
  /** The schema as llama.cpp's clients send it. */
  readonly schema?: JsonSchema | undefined;
}

/** The form of an answer, in OpenAI's words. */
export type ResponseFormat = TextFormat | JsonObjectFormat | JsonSchemaFormat;

/** The form of an answer, in vLLM's words. One of its fields is given. */
export interface StructuredOutputs {
  /** JSON that fits a schema, which may be its text. */
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
 * The form that an answer is held to, token by token, in the words of OpenAI, llama.cpp or vLLM. Reasoning is free; the form
 * begins after it. Beside tools the answer is calls or has the form. An answer that is cut at its limit is not whole.
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
