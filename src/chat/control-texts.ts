import type { Dialect } from './chat-parser.js';
import { detectDialect } from './detect-dialect.js';
import type { ControlTexts } from './plain-prompt.js';

/** What is asked of a tokenizer: its added tokens, and ids by content. */
export interface AddedTokens {
  /** The tokens that are cut out of a text before anything else. */
  readonly addedTokens: readonly {
    /** The text that is cut out. */
    readonly content: string;
    /** Whether the vocabulary marks it as special. */
    readonly special: boolean;
  }[];
  /** The id of a token as the vocabulary writes it. */
  tokenToId(content: string): number | undefined;
}

/** What decides besides the tokenizer: the model's template. */
interface Chat {
  /** How the model chats. */
  readonly chat: {
    /** Its template; null where it has none. */
    readonly template: string | null;
  };
}

/** The dialect of a model: by its template, and by its tokenizer. */
export function dialectOf({ chat }: Chat, tokenizer: Pick<AddedTokens, 'tokenToId'>): Dialect {
  return detectDialect(chat.template, (content) => tokenizer.tokenToId(content) !== undefined);
}

/**
 * The control tokens of a model: added tokens that its tokenizer marks special, the tags of its dialect (`<tool_call>`,
 * `</think>`), and of the others those that stand in brackets and are written by its template (DeepSeek's `<｜User｜>`), have
 * bars in them (`<|fim_prefix|>`), or contain a special one. Further ones (runs of spaces, `<table>`, words) are text.
 */
export function controlTextsOf(manifest: Chat, tokenizer: AddedTokens): ControlTexts {
  const template = manifest.chat.template ?? '';
  const { tags: ofDialect } = dialectOf(manifest, tokenizer);
  const isTag = (content: string): boolean =>
    /^<[|｜].*[|｜]>$/s.test(content) || (/^(?:<.*>|\[.*\])$/s.test(content) && template.includes(content));
  // A longer token around a special one would take its place where a text goes on behind it.
  const holdsSpecial = createSearch(
    tokenizer.addedTokens.filter((token) => token.special).map(({ content }) => content),
  );
  const texts: { special: string[]; tags: string[] } = { special: [], tags: [] };
  for (const { content, special } of tokenizer.addedTokens) {
    if (ofDialect.includes(content)) texts.tags.push(content);
    else if (special) texts.special.push(content);
    else if (isTag(content) || holdsSpecial(content)) texts.tags.push(content);
  }
  return texts;
}

/** Of those, the ones that stand for no text of an answer: all but the tags of the dialect. */
export function hiddenTextsOf(manifest: Chat, tokenizer: AddedTokens): readonly string[] {
  const { special, tags } = controlTextsOf(manifest, tokenizer);
  const { tags: ofDialect } = dialectOf(manifest, tokenizer);
  return [...special, ...tags.filter((tag) => !ofDialect.includes(tag))];
}

/** Tells whether a text holds one of `wanted`, by the parts of it that are as long as one: Gemma 3 has 6,249 of 9 lengths. */
function createSearch(wanted: readonly string[]): (text: string) => boolean {
  const known = new Set(wanted);
  const lengths = [...new Set(wanted.map(({ length }) => length))];
  return (text) => {
    for (const length of lengths) {
      for (let at = 0; at + length <= text.length; at++) if (known.has(text.slice(at, at + length))) return true;
    }
    return false;
  };
}
