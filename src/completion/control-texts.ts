import { detectDialect, type ControlTexts, type Dialect } from '../chat/index.js';
import type { Tokenizer } from '../tokenizer/index.js';

/** What decides besides the tokenizer: the model's template. */
interface Chat {
  readonly chat: { readonly template: string | null };
}

/** The dialect of a model: by its template, and by its tokenizer. */
export function dialectOf({ chat }: Chat, tokenizer: Pick<Tokenizer, 'tokenToId'>): Dialect {
  return detectDialect(chat.template, (content) => tokenizer.tokenToId(content) !== undefined);
}

/**
 * The control tokens of a model: added tokens that its tokenizer marks special, the tags of its dialect (`<tool_call>`,
 * `</think>`), and of the others those that stand in brackets and are written by its template (DeepSeek's `<｜User｜>`), have
 * bars in them (`<|fim_prefix|>`), or contain a special one. Further ones (runs of spaces, `<table>`, words) are text.
 */
export function controlTextsOf(manifest: Chat, tokenizer: Pick<Tokenizer, 'addedTokens' | 'tokenToId'>): ControlTexts {
  const template = manifest.chat.template ?? '';
  const { tags: ofDialect } = dialectOf(manifest, tokenizer);
  const isTag = (content: string): boolean =>
    /^<[|｜].*[|｜]>$/s.test(content) || (/^(?:<.*>|\[.*\])$/s.test(content) && template.includes(content));
  // A longer token around a special one would take its place where a text goes on behind it.
  const specials = tokenizer.addedTokens.filter((token) => token.special).map(({ content }) => content);
  const holdsSpecial = (content: string): boolean => specials.some((text) => content.includes(text));
  const texts: { special: string[]; tags: string[] } = { special: [], tags: [] };
  for (const { content, special } of tokenizer.addedTokens) {
    if (ofDialect.includes(content)) texts.tags.push(content);
    else if (special) texts.special.push(content);
    else if (isTag(content) || holdsSpecial(content)) texts.tags.push(content);
  }
  return texts;
}
