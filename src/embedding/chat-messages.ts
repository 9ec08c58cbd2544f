// The messages of a request as a program writes them: OpenAI's shapes and those that local servers add. What the wire takes
// as well is wider, and is checked by `api`.

/** A part of a message's content that is text. */
export interface TextPart {
  /** What kind of part it is. */
  readonly type: 'text';
  /** The text. */
  readonly text: string;
}

/** An image. Refused with `unsupported_value`: no model here sees. */
export interface ImagePart {
  /** What kind of part it is. */
  readonly type: 'image_url';
  /** Where the image is: an address, or a data URL. */
  readonly image_url: {
    /** The address. */
    readonly url: string;
    /** How closely to look. */
    readonly detail?: 'auto' | 'low' | 'high' | null | undefined;
  };
}

/** Sound. Refused with `unsupported_value`: no model here takes audio. */
export interface AudioPart {
  /** What kind of part it is. */
  readonly type: 'input_audio';
  /** The sound in base64, and what its bytes are. */
  readonly input_audio: {
    /** The sound in base64. */
    readonly data: string;
    /** The name of its format, such as mp3. */
    readonly format: string;
  };
}

/** A file. Refused with `unsupported_value`: send its text. */
export interface FilePart {
  /** What kind of part it is. */
  readonly type: 'file';
  /** The file's content, or its id at the service that stores it. */
  readonly file: object;
}

/** What an assistant said instead of an answer. Refused with `unsupported_value`: send it as text. */
export interface RefusalPart {
  /** What kind of part it is. */
  readonly type: 'refusal';
  /** The text. */
  readonly refusal: string;
}

/** A part of a user's message. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart;

/** A call of a function that an assistant made, as it is sent back. */
export interface FunctionCall {
  /** What the message with its result calls it by. */
  readonly id?: string | null | undefined;
  /** What kind of call it is. */
  readonly type?: 'function' | null | undefined;
  /** What was called. */
  readonly function: {
    /** The function's name. */
    readonly name: string;
    /** Its arguments as JSON text. */
    readonly arguments?: string | null | undefined;
  };
}

/** A call of a tool that takes free text. Refused: only functions work. */
export interface CustomCall {
  /** What the message with its result calls it by. */
  readonly id: string;
  /** What kind of call it is. */
  readonly type: 'custom';
  /** What was called. */
  readonly custom: {
    /** The tool's name. */
    readonly name: string;
    /** What it was given. */
    readonly input: string;
  };
}

/** A call as it was sent before there were several in a message. */
export interface RetiredCall {
  /** The function's name. */
  readonly name: string;
  /** Its arguments as JSON text. */
  readonly arguments?: string | null | undefined;
}

/** Instructions to the model before the conversation. `developer` means `system`. */
export interface SystemMessage {
  /** Who speaks. */
  readonly role: 'system' | 'developer';
  /** What is said. */
  readonly content: string | readonly TextPart[];
  /** Who it is among those of the same role; for templates that show it. */
  readonly name?: string | null | undefined;
}

/** What the user says. */
export interface UserMessage {
  /** Who speaks. */
  readonly role: 'user';
  /** What is said. */
  readonly content: string | readonly ContentPart[];
  /** Who it is among those of the same role; for templates that show it. */
  readonly name?: string | null | undefined;
}

/** What the model said: `content`, `tool_calls` or both. The message of an answer may be sent back as it is. */
export interface AssistantTurn {
  /** Who speaks. */
  readonly role: 'assistant';
  /** What is said. May be absent beside tool calls. */
  readonly content?: string | readonly (TextPart | RefusalPart)[] | null | undefined;
  /** Who it is among those of the same role; for templates that show it. */
  readonly name?: string | null | undefined;
  /** What was thought; templates keep or drop it. */
  readonly reasoning_content?: string | null | undefined;
  /** Another name of `reasoning_content`. */
  readonly reasoning?: string | null | undefined;
  /** The calls that it made. */
  readonly tool_calls?: readonly (FunctionCall | CustomCall)[] | null | undefined;
  /** The retired form of a single call. */
  readonly function_call?: RetiredCall | null | undefined;
  /** What was said instead of an answer; it is not shown to the model. */
  readonly refusal?: string | null | undefined;
  /** Sound of an earlier answer; it is not shown to the model. */
  readonly audio?: object | null | undefined;
}

/** What a call of a tool gave. */
export interface ToolMessage {
  /** Who speaks. */
  readonly role: 'tool';
  /** The result. */
  readonly content: string | readonly TextPart[];
  /** The `id` of the call. */
  readonly tool_call_id: string;
  /** The function that was called; for templates that show it. */
  readonly name?: string | null | undefined;
}

/** The retired form of `ToolMessage`. */
export interface FunctionMessage {
  /** Who speaks. */
  readonly role: 'function';
  /** The result. */
  readonly content: string | null;
  /** The function that was called. */
  readonly name: string;
}

/** One turn of a conversation. */
export type ChatMessage = SystemMessage | UserMessage | AssistantTurn | ToolMessage | FunctionMessage;
