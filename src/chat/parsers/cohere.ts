import { listedCalls } from '../calls/listed-calls.js';
import { literalPattern } from '../calls/literal-pattern.js';
import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';

const THINK = '<|START_THINKING|>';
const END_THINK = '<|END_THINKING|>';
const CALLS = '<|START_ACTION|>';
const END_CALLS = '<|END_ACTION|>';

const syntax: TaggedSyntax = {
  reasoning: { open: THINK, close: END_THINK },
  calls: listedCalls([CALLS], [END_CALLS], 'tool_name'),
};

/**
 * Command R7B, Command A and later of Cohere: `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": …, "parameters":
 * {…}}, …] <|END_ACTION|>`, with reasoning or a plan of the calls before them. Tags around the content are tokens
 * without text. Source: the chat templates of c4ai-command-r7b-12-2024 and c4ai-command-a-03-2025.
 */
export const cohere: ModelDialect = {
  name: 'cohere',
  tags: [THINK, END_THINK, CALLS, END_CALLS],
  marks: [CALLS],
  reasoningTags: syntax.reasoning,
  calls: {
    triggers: [CALLS],
    begin: [`${CALLS}[\n    `, `${CALLS}[`],
    open: (name) => {
      const named = `", "tool_name": ${JSON.stringify(name)}, "parameters": `;
      return [`{"tool_call_id": "0${named}`, { pattern: `\\{"tool_call_id": "[1-9][0-9]?${literalPattern(named)}` }];
    },
    close: ['}'],
    between: ',\n    ',
    end: `\n]${END_CALLS}`,
  },
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
