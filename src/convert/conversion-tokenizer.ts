import type { Chat, GenerationDefaults } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import { endTokenIds, hiddenTextsOf } from '../chat/index.js';
import { createJoinedVocabulary } from '../grammar/index.js';
import { openTokenNames, type TokenNames } from '../tokenizer/index.js';
import { compileSource, type TokenizerSource } from './tokenizer-source.js';

/** The tokenizer of a conversion, and the files that depend on it. */
export interface ConversionTokenizer {
  /** tokenizer.bin; null without a readable tokenizer, for the reason `missing`. */
  readonly bytes: Uint8Array | null;
  readonly missing: string | undefined;
  /** vocabulary.bin: its tokens in the form for grammars; null without a tokenizer. */
  readonly vocabulary: Uint8Array | null;
  /** The checkpoint's recommendations, with every token that ends an answer. */
  readonly generation: GenerationDefaults;
}

/** The inputs of a tokenizer. Survives structured cloning. */
export interface TokenizerParts {
  readonly source: TokenizerSource;
  readonly chat: Chat;
  readonly generation: GenerationDefaults;
  /** The model's size, which may exceed the tokenizer's. */
  readonly vocabSize: number;
}

/** Compiles it on this thread. Errors: those of tokenizer.json, `checkpoint_mismatch`. */
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
 * The stop ids of the checkpoint, its end token, and control tokens that end an answer by their text. A fine-tuned
 * model often has the generation_config.json of its base model. vLLM joins the first two as well.
 */
function withEndTokens({ generation, chat }: TokenizerParts, tokens: TokenNames): GenerationDefaults {
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
