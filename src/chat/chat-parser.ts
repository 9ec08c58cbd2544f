/** Bytes of a token and its log-probability. */
export interface TokenChance {
  /** The token's bytes. */
  readonly bytes: readonly number[];
  /** Its log-probability. */
  readonly logprob: number;
}

/** A token of the content, and the likeliest alternatives. */
export interface ContentLogprob extends TokenChance {
  /** The alternatives, the likeliest first. */
  readonly top: readonly TokenChance[];
}

/** A piece of an answer. The first delta of a tool call has its name; the texts of all of them are its arguments. */
export type Delta = ContentPiece | ReasoningPiece | ToolCallPiece;

/** More of the content. */
export interface ContentPiece {
  /** What kind of delta it is. */
  readonly type: 'content';
  /** The text. */
  readonly text: string;
  /** Its tokens, where the request asked for them; a parser knows none. */
  readonly logprobs?: readonly ContentLogprob[];
}

/** More of the reasoning. */
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

/** Generated text as the detokenizer gives it: an added token arrives alone, as `special`. */
export interface GeneratedText {
  /** The text that later tokens cannot change. */
  readonly text: string;
  /** The content of an added token. */
  readonly special?: string;
}

/**
 * Parses an answer during its generation. One parser for each answer. Content and reasoning are runs of the pushed
 * text, unchanged and in its order. The boundaries of pushes change only the boundaries of deltas.
 */
export interface ChatParser {
  /** Takes more text; returns the deltas that are now certain. */
  push(delta: GeneratedText): Delta[];
  /** The answer has ended: returns the text held back. */
  end(): Delta[];
  /** UTF-16 units at the end of the pushed text that may still be given out as text; all text before them is decided. */
  readonly pending: number;
  /** Whether the next text is reasoning, as far as known. */
  readonly inReasoning: boolean;
  /** Tool calls that were given out whole: their arguments are valid JSON. */
  readonly completeCalls: number;
}

/** The facts of a prompt that a parser needs. */
export interface ParserOptions {
  /** The prompt ends inside a reasoning section. Default false. */
  readonly startsInReasoning?: boolean;
  /** No reasoning follows: its tag is content. Default false. */
  readonly startsInContent?: boolean;
  /** The request has tools; otherwise the tags of tool calls are content, unless calls are left out. Default false. */
  readonly tools?: boolean;
  /** Calls are left out, also one that the end of the answer cuts off: no tool may be called. Default false. */
  readonly dropsCalls?: boolean;
  /** The names of these tools: without a tag, only objects with such a name are calls. Default: any name. */
  readonly toolNames?: readonly string[] | undefined;
  /** The JSON Schema of a tool's arguments: it gives their types where they are not JSON. Default: none. */
  readonly parametersOf?: ((name: string) => unknown) | undefined;
}

/** A fixed text of an answer: this one, or any that matches an expression of ECMA-262 as a whole. */
export type NotationText =
  | string
  | {
      /** The expression. */
      readonly pattern: string;
    };

/**
 * The notation of calls, so that a grammar can constrain an answer to it. A call's arguments come between `open` and
 * `close`.
 */
export interface CallNotation {
  /** Texts that begin only calls: text after one of these is a call. */
  readonly triggers: readonly string[];
  /** One of these comes before a row of calls. Without any, each call begins with the trigger and may come anywhere. */
  readonly begin: readonly string[];
  /** One of these begins a call of the tool with this name. */
  readonly open: (name: string) => readonly NotationText[];
  /** After the arguments: one of these. */
  readonly close: readonly NotationText[];
  /** From one call to the next. */
  readonly between: string;
  /** After a row of calls. */
  readonly end: string;
  /** The notation of arguments that are not JSON. */
  readonly elements?: ElementNotation;
  /** Rows of calls without a trigger: the answer has nothing else. Absent where a dialect has none. */
  readonly bare?: {
    /** The part before the arguments, in every form that the model may write: an expression. */
    readonly open: (name: string) => string;
    /** A text with this beginning is such a call: an expression. */
    readonly start: (name: string) => string;
  };
}

/** The notation of arguments as elements: a key and a value each. */
export interface ElementNotation {
  /** Before the key. */
  readonly open: string;
  /** Between key and value: one of these. */
  readonly middle: readonly string[];
  /** After the value: one of these. All begin with the closing tag, or with a line break and the tag. */
  readonly close: readonly string[];
  /** The tag that ends a value, so no value contains it. */
  readonly closingTag: string;
  /** How an argument without a type is read: as a string, or as JSON where it is valid JSON. */
  readonly untyped: 'text' | 'json';
}

/** The notation of reasoning and tool calls of a family of models. */
export interface ModelDialect {
  /** Its name in the registry. */
  readonly name: string;
  /** The tags it knows. As added tokens they reach the parser even when the tokenizer calls them control tokens. */
  readonly tags: readonly string[];
  /**
   * A template without any of these texts belongs to another dialect; without a template, so does a tokenizer without
   * such tokens.
   */
  readonly marks: readonly string[];
  /** Further texts that only templates of this dialect have. */
  readonly words?: readonly string[];
  /** The tags around reasoning, if the dialect has any: a prompt that ends with the first starts in reasoning. */
  readonly reasoningTags: {
    /** Before it. */
    readonly open: string;
    /** After it. */
    readonly close: string;
  } | null;
  /** The notation of calls; null where the model has none. */
  readonly calls: CallNotation | null;
  /** A parser of one answer. */
  createParser(options?: ParserOptions): ChatParser;
}
