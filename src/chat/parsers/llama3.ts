import type { ModelDialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';
import { literalPattern } from '../calls/literal-pattern.js';

const THINK = '<think>';
const END_THINK = '</think>';
const PYTHON = '<|python_tag|>';

const syntax: TaggedSyntax = {
  reasoning: { open: THINK, close: END_THINK },
  calls: {
    openers: { [PYTHON]: 'call' },
    bare: 'call',
    closers: [],
    places: {
      call: [{ kind: 'call', next: 'after' }],
      after: [
        { kind: 'text', text: ';', next: 'call' },
        { kind: 'text', text: PYTHON, next: 'call' },
        { kind: 'call', next: 'after' },
      ],
    },
  },
};

/**
 * Llama 3.1, 3.2 and 3.3: an answer that is `{"name": …, "parameters": {…}}`, or begins with `<|python_tag|>` before
 * it; several calls stand on lines of their own or have `;` between them. Text behind the tag that is not JSON, such as
 * Python, is content. Source: the chat templates of Llama 3.1 and 3.2.
 */
export const llama3: ModelDialect = {
  name: 'llama3',
  tags: [THINK, END_THINK, PYTHON],
  marks: [PYTHON, '"name": function name, "parameters"'],
  reasoningTags: syntax.reasoning,
  calls: {
    triggers: [PYTHON],
    begin: [PYTHON],
    open: (name) => [`{"name": ${JSON.stringify(name)}, "parameters": `],
    close: ['}'],
    between: '; ',
    end: '',
    bare: {
      open: (name) =>
        String.raw`\s{0,4}\{\s{0,4}(?:"type" {0,1}: {0,1}"function" {0,1},\s{0,4})?"name" {0,1}: {0,1}${named(name)} {0,1},\s{0,4}"(?:parameters|arguments)" {0,1}: {0,1}`,
      start: (name) => String.raw`\s*\{\s*(?:"type"\s*:\s*"function"\s*,\s*)?"name"\s*:\s*${named(name)}`,
    },
  },
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};

function named(name: string): string {
  return literalPattern(JSON.stringify(name));
}
