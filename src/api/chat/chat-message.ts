import { Type } from '../../schema/index.js';
import { MAX_PARTS, MAX_TOOL_CALLS } from '../limits.js';

/** Role of a message. `developer` means `system`; `function` is the retired name of `tool`. */
export const ChatRole = Type.Enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']);
export type ChatRole = Type.Static<typeof ChatRole>;

/** One part of a message's content. Only `text` is supported; the parser names the others. */
export const ContentPart = Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) });
export type ContentPart = Type.Static<typeof ContentPart>;

/** A call by the assistant: `arguments` is JSON text, as the model wrote it. */
export const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.Enum(['function']),
  function: Type.Object({ name: Type.String(), arguments: Type.String() }),
});
export type ToolCall = Type.Static<typeof ToolCall>;

/** A call of a custom tool: `input` is its text. */
export const CustomToolCall = Type.Object({
  id: Type.String(),
  type: Type.Enum(['custom']),
  custom: Type.Object({ name: Type.String(), input: Type.String() }),
});
export type CustomToolCall = Type.Static<typeof CustomToolCall>;

/** The called function, as clients send it back: arguments may be missing or null, meaning none. */
const SentFunction = Type.Object({
  name: Type.String(),
  arguments: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

/** A tool call as clients send it back in a conversation: id and type may be missing. */
export const SentToolCall = Type.Object({
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  function: Type.Optional(SentFunction),
  /** A call of a custom tool, which has this instead of a function. */
  custom: Type.Optional(
    Type.Object({ name: Type.String(), input: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
  ),
});
export type SentToolCall = Type.Static<typeof SentToolCall>;

/** One turn of a conversation, as clients send it. Reasoning may come back under either name. */
export const ChatMessage = Type.Object({
  role: ChatRole,
  content: Type.Optional(Type.Union([Type.String(), Type.Array(ContentPart, { maxItems: MAX_PARTS }), Type.Null()])),
  name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  reasoning_content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  reasoning: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  tool_calls: Type.Optional(Type.Union([Type.Array(SentToolCall, { maxItems: MAX_TOOL_CALLS }), Type.Null()])),
  tool_call_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** The retired form of one tool call. */
  function_call: Type.Optional(Type.Union([SentFunction, Type.Null()])),
});
export type ChatMessage = Type.Static<typeof ChatMessage>;
