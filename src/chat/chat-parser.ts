/** A piece of an answer. The first delta of a tool call has its name; the texts of all of them are its arguments. */
export type ChatDelta = ContentPiece | ReasoningPiece | ToolCallPiece;

/** More of what is said. */
export interface ContentPiece {
  /** What kind of delta it is. */
  readonly type: 'content';
  /** The text. */
  readonly text: string;
}

/** More of what is thought. */
export interface ReasoningPiece {
  /** What kind of delta it is. */
  readonly type: 'reasoning';
  /** The text. */
  readonly text: string;
}

/** More of a tool call. */
export interface ToolCallPiece {
  /** What kind of delta it is. */
  readonly type: 'toolCall';
  /** Which call of the answer, from 0. */
  readonly index: number;
  /** With a call's first piece. */
  readonly name?: string;
  /** More of the arguments' JSON text. */
  readonly argumentsText: string;
}

/** Generated text as it comes from the detokenizer: an added token arrives alone, as `special`. */
export interface GeneratedText {
  /** The text that is certain. */
  readonly text: string;
  /** The content of an added token. */
  readonly special?: string;
}

/**
 * Takes an answer apart while it is generated. One for each answer. Content and reasoning are runs of what was pushed,
 * unchanged and in its order; how the text was cut into pushes changes nothing but where deltas end.
 */
export interface ChatParser {
  /** What more text makes certain. */
  push(delta: GeneratedText): ChatDelta[];
  /** What was held back, when the answer has ended. */
  end(): ChatDelta[];
  /** UTF-16 units at the end of what was pushed that may still be handed out as text; all before them is done with. */
  readonly pending: number;
  /** Whether what comes next is reasoning, as far as is known. */
  readonly inReasoning: boolean;
  /** Tool calls that were handed out whole: their arguments are valid JSON. */
  readonly completeCalls: number;
}

/** What a parser must know of the prompt. */
export interface ParserOptions {
  /** The prompt ends inside a reasoning section. Default false. */
  readonly startsInReasoning?: boolean;
  /** There is no reasoning to come: what looks like its tag is content. Default false. */
  readonly startsInContent?: boolean;
  /** Tools were offered; otherwise the tags of tool calls are content. Default false. */
  readonly tools?: boolean;
}

/** How a call is written. The JSON of its arguments stands between `open` and `close`. */
export interface CallNotation {
  /** What only a call begins with: text that goes on after it is one. */
  readonly trigger: string;
  /** Of a tool of this name. Begins with `trigger`. */
  readonly open: (name: string) => string;
  /** After the arguments. */
  readonly close: string;
  /** From one call to the next. */
  readonly between: string;
}

/** How a family of models writes reasoning and tool calls. */
export interface Dialect {
  /** Its name in the registry. */
  readonly name: string;
  /** The tags it knows. As added tokens they reach the parser even when the tokenizer calls them control tokens. */
  readonly tags: readonly string[];
  /** The tags around reasoning, where there are any: a prompt that ends with the first starts in reasoning. */
  readonly reasoningTags: {
    /** Before it. */
    readonly open: string;
    /** After it. */
    readonly close: string;
  } | null;
  /** How calls are written; null where the model has no way to. */
  readonly calls: CallNotation | null;
  /** A parser of one answer. */
  createParser(options?: ParserOptions): ChatParser;
}
