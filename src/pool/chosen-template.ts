import type { Manifest } from '../artifact/index.js';
import { endTokenIds } from '../chat/index.js';
import type { Tokenizer } from '../tokenizer/index.js';

/** The manifest as if the artifact had been made with the chat template that was chosen, if one was. */
export function withTemplate(manifest: Manifest, chosen = manifest.chat.template): Manifest {
  return { ...manifest, chat: { ...manifest.chat, template: chosen } };
}

/**
 * The manifest where answers end also at those added tokens that the chosen template ends turns with: conversion took them
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
