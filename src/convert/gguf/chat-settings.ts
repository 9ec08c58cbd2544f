import type { Chat, GenerationDefaults } from '../../artifact/index.js';
import { endTexts, endTokenIds } from '../../chat/index.js';
import { chooseTemplate } from '../choose-template.js';
import type { MetadataReader } from './metadata-reader.js';
import { readTokenId } from './token-ids.js';
import { tokenTypes } from './tokenizer-spec.js';

/** Limit of templates of one file: published ones have two or three. */
const MAX_TEMPLATES = 64;

/** The token ids that end an answer: those of the file, and control tokens with such a text. */
export function readGeneration(metadata: MetadataReader): GenerationDefaults {
  const ids = new Set<number>();
  for (const name of ['eos', 'eot', 'eom']) {
    const id = readTokenId(metadata, name);
    if (id !== undefined) ids.add(id);
  }
  const places = metadata.textList('tokenizer.ggml.tokens')?.placesOf(endTexts);
  const isControl = controlTokens(metadata);
  const idOf = (token: string): number | undefined => {
    const id = places?.get(token);
    return id !== undefined && isControl(token, id) ? id : undefined;
  };
  for (const id of endTokenIds(idOf)) ids.add(id);
  return { stopTokenIds: [...ids] };
}

/**
 * Whether a token is a control token: by its type, or because the chat template writes it. Earlier converters marked
 * `<|im_end|>` as user-defined. In a file without types, any token may be.
 */
function controlTokens(metadata: MetadataReader): (token: string, id: number) => boolean {
  const types = metadata.numbers('tokenizer.ggml.token_type');
  if (types === undefined) return () => true;
  const template = readTemplate(metadata) ?? '';
  return (token, id) =>
    types[id] === tokenTypes.control || (types[id] === tokenTypes.userDefined && template.includes(token));
}

/** The chat template and the tokens that templates name. */
export function readChat(metadata: MetadataReader): Chat {
  const tokens = metadata.textList('tokenizer.ggml.tokens');
  const textOf = (name: string): string | null => {
    const id = readTokenId(metadata, name);
    return id === undefined ? null : (tokens?.at(id) ?? null);
  };
  return { template: readTemplate(metadata), bosToken: textOf('bos'), eosToken: textOf('eos') };
}

/**
 * `tokenizer.chat_template`, or one of those listed in `tokenizer.chat_templates`, each under a key of its own. Source:
 * gguf-py, `add_chat_template`.
 */
function readTemplate(metadata: MetadataReader): string | null {
  const template = metadata.text('tokenizer.chat_template');
  if (template !== undefined) return template;
  const names = metadata.texts('tokenizer.chat_templates') ?? [];
  const templates = names.slice(0, MAX_TEMPLATES).flatMap((name) => {
    const text = metadata.text(`tokenizer.chat_template.${name}`);
    return text === undefined ? [] : [{ name, text }];
  });
  return chooseTemplate(templates) ?? null;
}
