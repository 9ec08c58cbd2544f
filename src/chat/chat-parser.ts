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
  /** Tools were offered; otherwise the tags of tool calls are content, unless calls are left out. Default false. */
  readonly tools?: boolean;
  /** Calls are left out, also one that the answer is cut off in: no tool may be called. Default false. */
  readonly dropsCalls?: boolean;
  /** The names of these tools: where no tag announces calls, no other object is one. Default: any name. */
  readonly toolNames?: readonly string[] | undefined;
  /** The JSON Schema of a tool's arguments: where they are no JSON, it says of what type each is. Default: none is known. */
  readonly parametersOf?: ((name: string) => unknown) | undefined;
}

/** A text that stands in an answer: this one, or any that an expression of ECMA-262 describes as a whole. */
export type NotationText =
  | string
  | {
      /** The expression. */
      readonly pattern: string;
    };

/** How calls are written, so that an answer can be held to it. The arguments of a call stand between `open` and `close`. */
export interface CallNotation {
  /** What only calls begin with: text that goes on after one of these is one. */
  readonly triggers: readonly string[];
  /** Before a row of calls, one of these; of none, each call begins with the trigger, and stands where it likes. */
  readonly begin: readonly string[];
  /** Of a tool of this name: one of these. */
  readonly open: (name: string) => readonly NotationText[];
  /** After the arguments: one of these. */
  readonly close: readonly NotationText[];
  /** From one call to the next. */
  readonly between: string;
  /** After a row of calls. */
  readonly end: string;
  /** How the arguments are written where they are no JSON. */
  readonly elements?: ElementNotation;
  /** Rows of calls that no trigger announces: they are all of an answer. Absent where there are none. */
  readonly bare?: {
    /** Up to the arguments, as freely as the model may write it: an expression. */
    readonly open: (name: string) => string;
    /** Text that begins like this is such a call: an expression. */
    readonly start: (name: string) => string;
  };
}

/** How arguments are written as elements: a key and a value each. */
export interface ElementNotation {
  /** Before the key. */
  readonly open: string;
  /** Between key and value: one of these. */
  readonly middle: readonly string[];
  /** After the value: one of these. All begin with the closing tag, or with a line break and it. */
  readonly close: readonly string[];
  /** What ends a value, so that none has it in it. */
  readonly closingTag: string;
  /** How an argument without a type is read: as the text it is, or as JSON where it is some. */
  readonly untyped: 'text' | 'json';
}

/** How a family of models writes reasoning and tool calls. */
export interface Dialect {
  /** Its name in the registry. */
  readonly name: string;
  /** The tags it knows. As added tokens they reach the parser even when the tokenizer calls them control tokens. */
  readonly tags: readonly string[];
  /** A template that has none of these texts is of another dialect; without any template, a tokenizer without such tokens. */
  readonly marks: readonly string[];
  /** Further texts that templates of it have, and others do not. */
  readonly words?: readonly string[];
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
