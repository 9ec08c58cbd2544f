import { listedCalls, listNotation } from '../calls/listed-calls.js';
import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';

const THINK = '<think>';
const END_THINK = '</think>';
const CALL = '<|tool_call|>';
const END_CALL = '<|/tool_call|>';
const FUNCTOOLS = 'functools[';

const syntax: TaggedSyntax = {
  reasoning: { open: THINK, close: END_THINK },
  calls: listedCalls([CALL, FUNCTOOLS], [END_CALL]),
};

/**
 * Phi-4-mini: `<|tool_call|>[{"name": …, "arguments": {…}}, …]<|/tool_call|>`; `functools` before the list is accepted
 * too. Source: the tokenizer and the model card of Phi-4-mini-instruct.
 */
export const phi4: ModelDialect = {
  name: 'phi4',
  tags: [THINK, END_THINK, CALL, END_CALL],
  marks: [END_CALL, '<|/tool|>', FUNCTOOLS],
  words: ['<|/tool|>', FUNCTOOLS],
  reasoningTags: syntax.reasoning,
  calls: listNotation(CALL, END_CALL, FUNCTOOLS),
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
