import { listedCalls, listNotation } from '../calls/listed-calls.js';
import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';

const THINK = '<think>';
const END_THINK = '</think>';
const CALL = '<|tool_call|>';

const syntax: TaggedSyntax = {
  reasoning: { open: THINK, close: END_THINK },
  calls: listedCalls([CALL]),
};

/**
 * Granite 3.0 to 3.3: `<|tool_call|>[{"name": …, "arguments": {…}}, …]`. Granite 4 speaks `hermes`.
 * Source: the chat templates of Granite 3.0 and 3.3.
 */
export const granite: ModelDialect = {
  name: 'granite',
  tags: [THINK, END_THINK, CALL],
  marks: [CALL],
  reasoningTags: syntax.reasoning,
  calls: listNotation(CALL),
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
