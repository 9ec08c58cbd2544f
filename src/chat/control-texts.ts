import type { ModelDialect } from './chat-parser.js';
import { detectDialect } from './detect-dialect.js';
import type { ControlTexts } from './plain-prompt.js';

/** The part of a tokenizer that is used here: its added tokens, and ids by content. */
export interface AddedTokens {
  /** The tokens that the tokenizer cuts out of a text before anything else. */
  readonly addedTokens: readonly {
    /** The text of the token. */
    readonly content: string;
    /** Whether the vocabulary marks it as special. */
    readonly special: boolean;
  }[];
  /** The id of a token as the vocabulary writes it. */
  tokenToId(content: string): number | undefined;
}

/** The model's template, which decides together with the tokenizer. */
interface Chat {
  /** How the model chats. */
  readonly chat: {
    /** Its template; null without one. */
    readonly template: string | null;
  };
}

/** The dialect of a model: by its template, and by its tokenizer. */
export function dialectOf({ chat }: Chat, tokenizer: Pick<AddedTokens, 'tokenToId'>): ModelDialect {
  return detectDialect(chat.template, (content) => tokenizer.tokenToId(content) !== undefined);
}

/**
 * The control tokens of a model. They are the added tokens that its tokenizer marks special and the tags of its dialect
 * (`<tool_call>`, `</think>`). Further added tokens count if their template writes them in brackets (DeepSeek's
 * `<｜User｜>`), if they have bars (`<|fim_prefix|>`), or if they contain a special one. All others (runs of spaces,
 * `<table>`, words) are text.
 */
export function controlTextsOf(manifest: Chat, tokenizer: AddedTokens): ControlTexts {
  const template = manifest.chat.template ?? '';
  const { tags: ofDialect } = dialectOf(manifest, tokenizer);
  const isTag = (content: string): boolean =>
    /^<[|｜].*[|｜]>$/s.test(content) || (/^(?:<.*>|\[.*\])$/s.test(content) && template.includes(content));
  // A longer token around a special one would replace it where a text continues it.
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

/** The control tokens that are no text of an answer: all but the tags of the dialect. */
export function hiddenTextsOf(manifest: Chat, tokenizer: AddedTokens): readonly string[] {
  const { special, tags } = controlTextsOf(manifest, tokenizer);
  const { tags: ofDialect } = dialectOf(manifest, tokenizer);
  return [...special, ...tags.filter((tag) => !ofDialect.includes(tag))];
}

/**
 * Returns a test for texts that contain one of `wanted`. It compares parts of the text of each token length: Gemma 3
 * has 6,249 tokens of 9 lengths.
 */
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
