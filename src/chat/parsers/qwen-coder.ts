import type { ElementSyntax } from '../calls/element-syntax.js';
import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';
import { hermes } from './hermes.js';

const CALL = '<tool_call>';
const END_CALL = '</tool_call>';
const FUNCTION = '<function=';
const END_FUNCTION = '</function>';
const PARAMETER = '<parameter=';
const END_PARAMETER = '</parameter>';

const elements: ElementSyntax = {
  open: PARAMETER,
  openEnd: '>',
  value: '',
  close: END_PARAMETER,
  end: END_FUNCTION,
  hasLines: true,
  untyped: 'text',
};

const syntax: TaggedSyntax = {
  reasoning: hermes.reasoningTags,
  calls: {
    // The models sometimes omit the outer tag.
    openers: { [CALL]: 'call', [FUNCTION]: 'name' },
    closers: [END_CALL],
    places: {
      call: [{ kind: 'text', text: FUNCTION, next: 'name' }],
      name: [{ kind: 'name', next: 'named' }],
      named: [{ kind: 'text', text: '>', next: 'arguments' }],
      arguments: [{ kind: 'elements', syntax: elements, next: 'close' }],
      close: [{ kind: 'text', text: END_CALL, next: 'end', closes: true }],
    },
  },
};

/**
 * Qwen3-Coder and later Qwen: `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>`, each tag and
 * value on lines of its own. A value of a string is the text itself, any other is JSON; the first closing tag ends it.
 * Source: the chat template and the tool parser that Qwen3-Coder is published with.
 */
export const qwenCoder: ModelDialect = {
  name: 'qwenCoder',
  tags: hermes.tags,
  marks: [FUNCTION],
  words: [PARAMETER],
  reasoningTags: hermes.reasoningTags,
  calls: {
    triggers: [CALL, FUNCTION],
    begin: [],
    open: (name) => [`${CALL}\n${FUNCTION}${name}>\n`, `${FUNCTION}${name}>\n`],
    close: [`${END_FUNCTION}\n${END_CALL}`],
    between: '\n',
    end: '',
    elements: {
      open: PARAMETER,
      middle: ['>\n'],
      close: [`\n${END_PARAMETER}\n`],
      closingTag: END_PARAMETER,
      untyped: elements.untyped,
    },
  },
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
