import type { Manifest } from '../artifact/index.js';
import { detectDialect, type ControlTexts, type Dialect } from '../chat/index.js';
import type { Tokenizer } from '../tokenizer/index.js';

/** What decides: the model's template, and its tokenizer. */
type Chat = Pick<Manifest, 'chat'>;

/** The dialect of a model: by its template, and by its tokenizer. */
export function dialectOf({ chat }: Chat, tokenizer: Pick<Tokenizer, 'tokenToId'>): Dialect {
  return detectDialect(chat.template, (content) => tokenizer.tokenToId(content) !== undefined);
}

/**
 * The control tokens of a model: added tokens that its tokenizer marks special; and of the others those that stand in brackets
 * and are written by its template or known to its dialect (`<tool_call>`, `</think>`, DeepSeek's `<｜User｜>`), or have bars
 * in them (`<|fim_prefix|>`). Further ones (runs of spaces, `<table>`, words) are text like any other.
 */
export function controlTextsOf(manifest: Chat, tokenizer: Pick<Tokenizer, 'addedTokens' | 'tokenToId'>): ControlTexts {
  const template = manifest.chat.template ?? '';
  const { tags: ofDialect } = dialectOf(manifest, tokenizer);
  const isTag = (content: string): boolean =>
    /^<[|｜].*[|｜]>$/s.test(content) ||
    (/^(?:<.*>|\[.*\])$/s.test(content) && (template.includes(content) || ofDialect.includes(content)));
  const { addedTokens } = tokenizer;
  return {
    special: addedTokens.filter(({ special }) => special).map(({ content }) => content),
    tags: addedTokens.filter(({ content, special }) => !special && isTag(content)).map(({ content }) => content),
  };
}
