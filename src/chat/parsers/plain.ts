import type { ChatParser, Dialect } from '../chat-parser.js';

/** A model without tags: everything is content. */
export const plain: Dialect = {
  name: 'plain',
  tags: [],
  marks: [],
  reasoningTags: null,
  calls: null,
  createParser: (): ChatParser => ({
    pending: 0,
    inReasoning: false,
    completeCalls: 0,
    push({ text, special }) {
      const content = special ?? text;
      return content === '' ? [] : [{ type: 'content', text: content }];
    },
    end: () => [],
  }),
};
