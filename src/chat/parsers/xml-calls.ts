import type { Dialect } from '../chat-parser.js';
import { TaggedParser, type TaggedSyntax } from '../tagged-parser.js';
import { hermes } from './hermes.js';

const syntax: TaggedSyntax = {
  reasoning: hermes.reasoningTags,
  calls: { openers: {}, closers: [], places: {} },
};

/**
 * Qwen3-Coder and GLM 4.5: calls between the tags of `hermes`, with each argument as an element of XML instead of JSON.
 * Reasoning is read. Calls are not yet: they stay content, and tools are not forced, since what JSON they mean depends on the
 * types of the tool's parameters. Source: the chat templates of Qwen3-Coder and GLM-4.5.
 */
export const xmlCalls: Dialect = {
  name: 'xmlCalls',
  tags: hermes.tags,
  marks: ['<function=', '<arg_key>'],
  words: ['<parameter=', '<arg_value>'],
  reasoningTags: hermes.reasoningTags,
  calls: null,
  createParser: (options) => new TaggedParser(syntax, options ?? {}),
};
