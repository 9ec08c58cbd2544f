import type { Chat, Generation } from '../../artifact/index.js';
import type { MetadataReader } from './metadata-reader.js';
import { readTokenId } from './tokenizer-json.js';

/** Control tokens that end a turn, whatever a file's keys say. Source: llama.cpp, llama-vocab.cpp, special_eog_ids. */
const END_OF_TURN: readonly string[] = [
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|eom_id|>',
  '<EOT>',
];

/** The token ids that end an answer: those that the file names, and those whose text says so. */
export function readGeneration(metadata: MetadataReader): Generation {
  const ids = new Set<number>();
  for (const name of ['eos', 'eot', 'eom']) {
    const id = readTokenId(metadata, name);
    if (id !== undefined) ids.add(id);
  }
  const tokens = metadata.texts('tokenizer.ggml.tokens') ?? [];
  for (const token of END_OF_TURN) {
    const id = tokens.indexOf(token);
    if (id >= 0) ids.add(id);
  }
  return { stopTokenIds: [...ids] };
}

/** The chat template and the tokens that templates name. */
export function readChat(metadata: MetadataReader): Chat {
  const tokens = metadata.texts('tokenizer.ggml.tokens') ?? [];
  const textOf = (name: string): string | null => {
    const id = readTokenId(metadata, name);
    return id === undefined ? null : (tokens[id] ?? null);
  };
  return {
    template: metadata.text('tokenizer.chat_template') ?? null,
    bosToken: textOf('bos'),
    eosToken: textOf('eos'),
  };
}
