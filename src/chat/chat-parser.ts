/** A piece of an answer. The first delta of a tool call has its name; the texts of all of them are its arguments. */
export type ChatDelta =
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'toolCall'; readonly index: number; readonly name?: string; readonly argumentsText: string };

/** Generated text as it comes from the detokenizer: an added token arrives alone, as `special`. */
export interface GeneratedText {
  readonly text: string;
  readonly special?: string;
}

/**
 * Takes an answer apart while it is generated. One for each answer. Content and reasoning are runs of what was pushed,
 * unchanged and in its order; how the text was cut into pushes changes nothing but where deltas end.
 */
export interface ChatParser {
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
  /** Tools were offered; otherwise the tags of tool calls are content. Default false. */
  readonly tools?: boolean;
}

/** How a family of models writes reasoning and tool calls. */
export interface Dialect {
  readonly name: string;
  /** The tags it knows. As added tokens they reach the parser even when the tokenizer calls them control tokens. */
  readonly tags: readonly string[];
  /** The tags around reasoning, where there are any: a prompt that ends with the first starts in reasoning. */
  readonly reasoningTags: { readonly open: string; readonly close: string } | null;
  createParser(options?: ParserOptions): ChatParser;
}
