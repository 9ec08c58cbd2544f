import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';

const THINK = '<think>';
const END_THINK = '</think>';
const CALL = '<tool_call>';
const END_CALL = '</tool_call>';
const TAGS = [THINK, END_THINK, CALL, END_CALL];

const syntax: TaggedSyntax = {
  reasoning: { open: THINK, close: END_THINK },
  calls: {
    openers: { [CALL]: 'call' },
    closers: [END_CALL],
    places: {
      call: [{ kind: 'call', next: 'close' }],
      close: [{ kind: 'text', text: END_CALL, next: 'end', closes: true }],
    },
  },
};

/**
 * Hermes, Qwen, SmolLM, Granite 4: `<think>…</think>`, then content with `<tool_call>{"name": …, "arguments": …}</tool_call>`.
 * Source: the chat templates of Hermes 2 Pro and Qwen 3.
 */
export const hermes: ModelDialect = {
  name: 'hermes',
  tags: TAGS,
  marks: TAGS,
  reasoningTags: syntax.reasoning,
  calls: {
    triggers: [CALL],
    begin: [],
    open: (name) => [`${CALL}\n{"name": ${JSON.stringify(name)}, "arguments": `],
    close: [`}\n${END_CALL}`],
    between: '\n',
    end: '',
  },
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
