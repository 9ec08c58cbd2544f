import { Type } from '../../schema/index.js';
import { MAX_PARTS, MAX_TOOLS } from '../limits.js';

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

/** One part of the content of an item. Only text is supported; the parser names the others. */
export const ItemPart = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  refusal: Type.Optional(Type.String()),
});
export type ItemPart = Type.Static<typeof ItemPart>;

const Parts = Type.Array(ItemPart, { maxItems: MAX_PARTS });
const PartsOrText = Type.Union([Type.String(), Parts]);

/**
 * One item of the input, with the fields of every supported type: messages, calls and their outputs, reasoning, more
 * tools. The type decides which fields an item must have, and the parser checks that. An item without a type is a
 * message.
 */
export const InputItem = Type.Object({
  type: Type.Optional(TextOrNull),
  id: Type.Optional(TextOrNull),
  role: Type.Optional(Type.Enum(['user', 'assistant', 'system', 'developer'])),
  content: Type.Optional(Type.Union([Type.String(), Parts, Type.Null()])),
  call_id: Type.Optional(TextOrNull),
  name: Type.Optional(TextOrNull),
  namespace: Type.Optional(TextOrNull),
  arguments: Type.Optional(TextOrNull),
  input: Type.Optional(TextOrNull),
  tools: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: MAX_TOOLS })),
  output: Type.Optional(PartsOrText),
  summary: Type.Optional(Type.Union([Parts, Type.Null()])),
  encrypted_content: Type.Optional(TextOrNull),
});
export type InputItem = Type.Static<typeof InputItem>;
