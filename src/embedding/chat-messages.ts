// The messages of a request as a program writes them: OpenAI's shapes and the additions of local servers. The HTTP API
// accepts more shapes; `api` checks them.

/** A part of a message's content that is text. */
export interface TextPart {
  /** The kind of part. */
  readonly type: 'text';
  /** The text. */
  readonly text: string;
}

/** An image. Refused with `unsupported_value`: no supported model reads images. */
export interface ImagePart {
  /** The kind of part. */
  readonly type: 'image_url';
  /** The location of the image: an address or a data URL. */
  readonly image_url: {
    /** The address. */
    readonly url: string;
    /** The level of detail. */
    readonly detail?: 'auto' | 'low' | 'high' | null | undefined;
  };
}

/** Audio. Refused with `unsupported_value`: no supported model takes audio. */
export interface AudioPart {
  /** The kind of part. */
  readonly type: 'input_audio';
  /** The audio data with its format. */
  readonly input_audio: {
    /** The audio in base64. */
    readonly data: string;
    /** The name of its format, such as mp3. */
    readonly format: string;
  };
}

/** A file. Refused with `unsupported_value`: send its text. */
export interface FilePart {
  /** The kind of part. */
  readonly type: 'file';
  /** The file's content, or its id at the service that stores it. */
  readonly file: object;
}

/** A refusal that an assistant wrote instead of an answer. Refused with `unsupported_value`: send it as text. */
export interface RefusalPart {
  /** The kind of part. */
  readonly type: 'refusal';
  /** The text. */
  readonly refusal: string;
}

/** A part of a user's message. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart;

/** A function call of an assistant, as the next request sends it back. */
export interface FunctionCall {
  /** The id by which the message with its result refers to it. */
  readonly id?: string | null | undefined;
  /** The kind of call. */
  readonly type?: 'function' | null | undefined;
  /** The called function. */
  readonly function: {
    /** The function's name. */
    readonly name: string;
    /** Its arguments as JSON text. */
    readonly arguments?: string | null | undefined;
  };
}

/** A call of a tool that takes free text. Refused: only functions are supported. */
export interface CustomCall {
  /** The id by which the message with its result refers to it. */
  readonly id: string;
  /** The kind of call. */
  readonly type: 'custom';
  /** The called tool. */
  readonly custom: {
    /** The tool's name. */
    readonly name: string;
    /** The input of the tool. */
    readonly input: string;
  };
}

/** The older form of a call, from before a message could have several. */
export interface RetiredCall {
  /** The function's name. */
  readonly name: string;
  /** Its arguments as JSON text. */
  readonly arguments?: string | null | undefined;
}

/** Instructions to the model before the conversation. `developer` means `system`. */
export interface SystemMessage {
  /** The role of the speaker. */
  readonly role: 'system' | 'developer';
  /** The content of the message. */
  readonly content: string | readonly TextPart[];
  /** The speaker's name, which distinguishes speakers of one role; for templates that show it. */
  readonly name?: string | null | undefined;
}

/** A message of the user. */
export interface UserMessage {
  /** The role of the speaker. */
  readonly role: 'user';
  /** The content of the message. */
  readonly content: string | readonly ContentPart[];
  /** The speaker's name, which distinguishes speakers of one role; for templates that show it. */
  readonly name?: string | null | undefined;
}

/** A turn of the model: `content`, `tool_calls` or both. The message of an answer may be sent back unchanged. */
export interface AssistantTurn {
  /** The role of the speaker. */
  readonly role: 'assistant';
  /** The content of the message. Optional if there are tool calls. */
  readonly content?: string | readonly (TextPart | RefusalPart)[] | null | undefined;
  /** The speaker's name, which distinguishes speakers of one role; for templates that show it. */
  readonly name?: string | null | undefined;
  /** The reasoning; templates keep or drop it. */
  readonly reasoning_content?: string | null | undefined;
  /** Alias of `reasoning_content`. */
  readonly reasoning?: string | null | undefined;
  /** The calls of the turn. */
  readonly tool_calls?: readonly (FunctionCall | CustomCall)[] | null | undefined;
  /** The retired form of a single call. */
  readonly function_call?: RetiredCall | null | undefined;
  /** A refusal instead of an answer; the model does not see it. */
  readonly refusal?: string | null | undefined;
  /** Audio of an earlier answer; the model does not see it. */
  readonly audio?: object | null | undefined;
}

/** The result of a tool call. */
export interface ToolMessage {
  /** The role of the speaker. */
  readonly role: 'tool';
  /** The result. */
  readonly content: string | readonly TextPart[];
  /** The `id` of the call. */
  readonly tool_call_id: string;
  /** The name of the called function; for templates that show it. */
  readonly name?: string | null | undefined;
}

/** The retired form of `ToolMessage`. */
export interface FunctionMessage {
  /** The role of the speaker. */
  readonly role: 'function';
  /** The result. */
  readonly content: string | null;
  /** The name of the called function. */
  readonly name: string;
}

/** One turn of a conversation. */
export type ChatMessage = SystemMessage | UserMessage | AssistantTurn | ToolMessage | FunctionMessage;
