import type { Chat, Generation } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import { endTokenIds, hiddenTextsOf } from '../chat/index.js';
import { createJoinedVocabulary } from '../grammar/index.js';
import { openTokenNames, type TokenNames } from '../tokenizer/index.js';
import { compileSource, type TokenizerSource } from './tokenizer-source.js';

/** The tokenizer of a conversion, and what depends on it. */
export interface ConversionTokenizer {
  /** tokenizer.bin; null when there is no tokenizer that can be read, for the reason `missing`. */
  readonly bytes: Uint8Array | null;
  readonly missing: string | undefined;
  /** vocabulary.bin: its tokens as grammars walk them; null without a tokenizer. */
  readonly vocabulary: Uint8Array | null;
  /** What the checkpoint recommends, with every token that ends an answer. */
  readonly generation: Generation;
}

/** What it is made of. Survives structured cloning. */
export interface TokenizerParts {
  readonly source: TokenizerSource;
  readonly chat: Chat;
  readonly generation: Generation;
  /** The model's, which may be larger than the tokenizer's. */
  readonly vocabSize: number;
}

/** Makes it on this thread. Errors: those of tokenizer.json, `checkpoint_mismatch`. */
export function makeTokenizer(parts: TokenizerParts): ConversionTokenizer {
  const { source, generation, vocabSize } = parts;
  const { bytes, missing } = compileSource(source);
  if (bytes === null) return { bytes, missing, vocabulary: null, generation };
  const tokens = openTokenNames(bytes);
  checkSize(tokens, vocabSize);
  const hidden = new Set<number>();
  for (const content of hiddenTextsOf(parts, tokens)) hidden.add(tokens.tokenToId(content) ?? -1);
  const vocabulary = createJoinedVocabulary(tokens.texts, hidden, vocabSize).toBytes();
  return { bytes, missing: undefined, vocabulary, generation: withEndTokens(parts, tokens) };
}

/**
 * The stop ids that the checkpoint names, and those of its end token and of control tokens that end an answer by their text.
 * generation_config.json of a fine-tuned model is often that of the model it was made of. vLLM joins the first two as well.
 */
function withEndTokens({ generation, chat }: TokenizerParts, tokens: TokenNames): Generation {
  const controls = new Set(tokens.addedTokens.filter(({ special }) => special).map(({ content }) => content));
  const byText = endTokenIds((token) => (controls.has(token) ? tokens.tokenToId(token) : undefined));
  const own = chat.eosToken === null ? undefined : tokens.tokenToId(chat.eosToken);
  const all = [...generation.stopTokenIds, ...(own === undefined ? [] : [own]), ...byText];
  return { ...generation, stopTokenIds: [...new Set(all)] };
}

function checkSize({ vocabSize: tokens }: TokenNames, vocabSize: number): void {
  if (tokens <= vocabSize) return;
  throw new AppError(
    'checkpoint_mismatch',
    `the tokenizer has ${tokens} tokens, but the model a vocabulary of ${vocabSize}`,
    { tokenizer: tokens, config: vocabSize },
  );
}
