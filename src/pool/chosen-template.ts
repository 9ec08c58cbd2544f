import type { Manifest } from '../artifact/index.js';
import { endTokenIds } from '../chat/index.js';
import type { Tokenizer } from '../tokenizer/index.js';

/** The manifest with the chosen chat template, if there is one, in place of the artifact's. */
export function withTemplate(manifest: Manifest, chosen = manifest.chat.template): Manifest {
  return { ...manifest, chat: { ...manifest.chat, template: chosen } };
}

/**
 * The manifest whose answers end also at the added tokens with which the chosen template ends turns. Conversion took such tokens
 * for ordinary ones where the vocabulary says so.
 */
export function withEndTokens(
  manifest: Manifest,
  chosen: string | undefined,
  tokenizer: Pick<Tokenizer, 'addedTokens' | 'tokenToId'> | undefined,
): Manifest {
  if (chosen === undefined || tokenizer === undefined) return manifest;
  const added = new Set(tokenizer.addedTokens.map(({ content }) => content));
  const ends = endTokenIds((token) =>
    added.has(token) && chosen.includes(token) ? tokenizer.tokenToId(token) : undefined,
  );
  const { generation } = manifest;
  return {
    ...manifest,
    generation: { ...generation, stopTokenIds: [...new Set([...generation.stopTokenIds, ...ends])] },
  };
}
