import { literalPattern } from '../calls/literal-pattern.js';
import { ARGS, CALL_ID, CALLS, ID_PATTERN, mistralCalls } from '../calls/mistral-calls.js';
import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';

const THINK = '[THINK]';
const END_THINK = '[/THINK]';

const syntax: TaggedSyntax = { reasoning: { open: THINK, close: END_THINK }, calls: mistralCalls };

/**
 * Mistral Small 3.2, Magistral, Devstral and later: `[TOOL_CALLS]name[ARGS]{…}` for each call, with `[CALL_ID]` and an id
 * before the arguments in some. Reasoning stands between `[THINK]` and `[/THINK]`.
 * Source: the chat templates of Mistral-Small-3.2-24B-Instruct-2506 and Magistral-Small-2509.
 */
export const mistralArgs: ModelDialect = {
  name: 'mistralArgs',
  tags: [CALLS, ARGS, CALL_ID, THINK, END_THINK],
  marks: [ARGS],
  reasoningTags: syntax.reasoning,
  calls: {
    triggers: [CALLS],
    begin: [],
    open: (name) => [
      `${CALLS}${name}${ARGS}`,
      { pattern: `${literalPattern(CALLS + name + CALL_ID)}${ID_PATTERN}${literalPattern(ARGS)}` },
    ],
    close: [''],
    between: '',
    end: '',
  },
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
