import type { ElementSyntax } from '../calls/element-syntax.js';
import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';
import { hermes } from './hermes.js';

const CALL = '<tool_call>';
const END_CALL = '</tool_call>';
const KEY = '<arg_key>';
const END_KEY = '</arg_key>';
const VALUE = '<arg_value>';
const END_VALUE = '</arg_value>';

const elements: ElementSyntax = {
  open: KEY,
  openEnd: END_KEY,
  value: VALUE,
  close: END_VALUE,
  end: END_CALL,
  hasLines: false,
  untyped: 'json',
};

const syntax: TaggedSyntax = {
  reasoning: hermes.reasoningTags,
  calls: {
    openers: { [CALL]: 'name' },
    closers: [END_CALL],
    places: {
      name: [{ kind: 'name', next: 'arguments' }],
      arguments: [{ kind: 'elements', syntax: elements, next: 'end' }],
    },
  },
};

/**
 * GLM 4.5 and later: `<tool_call>name`, then `<arg_key>key</arg_key><arg_value>value</arg_value>` for each argument, in 4.5 and
 * 4.6 on lines of their own, then `</tool_call>`. A value of a string is the text itself, any other is JSON; the first closing
 * tag ends it. Source: the chat templates of GLM-4.5 and GLM-4.7, and vLLM's parser of them (`glm4_moe_tool_parser.py`).
 */
export const glm: ModelDialect = {
  name: 'glm',
  tags: [...hermes.tags, KEY, END_KEY, VALUE, END_VALUE],
  marks: [KEY],
  reasoningTags: hermes.reasoningTags,
  calls: {
    triggers: [CALL],
    begin: [],
    open: (name) => [`${CALL}${name}\n`, `${CALL}${name}`],
    close: [END_CALL],
    between: '\n',
    end: '',
    elements: {
      open: KEY,
      middle: [`${END_KEY}\n${VALUE}`, `${END_KEY}${VALUE}`],
      close: [`${END_VALUE}\n`, END_VALUE],
      closingTag: END_VALUE,
      untyped: elements.untyped,
    },
  },
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
