import { CALLS, ID_PATTERN, mistralCalls } from '../calls/mistral-calls.js';
import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser } from '../tagged-parser.js';

/**
 * Mistral 7B 0.3, Nemo and contemporaries: `[TOOL_CALLS] [{"name": …, "arguments": {…}, "id": …}, …]`. Source: the chat
 * templates of Mistral-7B-Instruct-v0.3 and Mistral-Nemo-Instruct-2407.
 */
export const mistral: ModelDialect = {
  name: 'mistral',
  tags: [CALLS],
  marks: [CALLS],
  reasoningTags: null,
  calls: {
    triggers: [CALLS],
    begin: [`${CALLS} [`, `${CALLS}[`],
    open: (name) => [`{"name": ${JSON.stringify(name)}, "arguments": `],
    close: ['}', { pattern: `, "id": "${ID_PATTERN}"\\}` }],
    between: ', ',
    end: ']',
  },
  createParser: (options) => new TaggedParser({ reasoning: null, calls: mistralCalls }, options ?? {}),
};
