import { Type } from '../../schema/index.js';
import { MAX_CHOICE_TEXT, MAX_CHOICE_TEXTS, MAX_GRAMMAR_TEXT } from '../limits.js';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
/** A JSON Schema, as an object or as its text, which some clients send. */
const Schema = Type.Union([JsonObject, Type.Boolean()]);
const SchemaOrText = Type.Union([JsonObject, Type.Boolean(), Type.String({ maxLength: MAX_GRAMMAR_TEXT })]);
const Text = Type.String({ maxLength: MAX_GRAMMAR_TEXT });
const Choices = Type.Array(Type.String({ minLength: 1, maxLength: MAX_CHOICE_TEXT }), {
  minItems: 1,
  maxItems: MAX_CHOICE_TEXTS,
});
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** The required format of an answer, by `type`. `schema` beside the type: llama.cpp's form. */
export const ResponseFormat = Type.Object({
  type: Type.String(),
  json_schema: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      description: orNull(Type.String()),
      schema: Type.Optional(Schema),
      strict: orNull(Type.Boolean()),
    }),
  ),
  schema: Type.Optional(Schema),
});
export type ResponseFormat = Type.Static<typeof ResponseFormat>;

/** The fields of every dialect for the format of an answer. */
export const formatFields = {
  /** OpenAI; llama.cpp. */
  response_format: Type.Optional(ResponseFormat),
  /** llama.cpp: a schema, and a grammar in its notation. */
  json_schema: Type.Optional(SchemaOrText),
  grammar: Type.Optional(Text),
  /** vLLM, first its older fields. */
  guided_json: Type.Optional(SchemaOrText),
  guided_regex: Type.Optional(Text),
  guided_choice: Type.Optional(Choices),
  guided_grammar: Type.Optional(Text),
  structured_outputs: Type.Optional(
    Type.Object({
      json: orNull(SchemaOrText),
      json_object: orNull(Type.Boolean()),
      regex: orNull(Text),
      choice: orNull(Choices),
      grammar: orNull(Text),
    }),
  ),
};
const FormatFields = Type.Object(formatFields);
export type FormatFields = Type.Static<typeof FormatFields>;
