import type { ChatParser, ModelDialect } from '../chat-parser.js';

/** A model without tags: everything is content. */
export const plain: ModelDialect = {
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
