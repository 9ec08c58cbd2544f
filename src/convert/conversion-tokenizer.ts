import type { Generation } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import { endTokenIds } from '../chat/index.js';
import type { ModelConfig } from '../model/index.js';
import { openTokenizer, type Tokenizer } from '../tokenizer/index.js';
import type { Checkpoint } from './checkpoint.js';
import { compileTokenizerOf, type TokenizerPlace } from './compile-tokenizer.js';

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

/** Makes it. Errors: those of tokenizer.json, `checkpoint_mismatch`; the reason of the signal. */
export async function makeTokenizer(
  checkpoint: Checkpoint,
  config: ModelConfig,
  place: TokenizerPlace,
): Promise<ConversionTokenizer> {
  const compiled = await compileTokenizerOf(checkpoint, place);
  if (compiled.bytes === null) return { ...compiled, vocabulary: null, generation: checkpoint.generation };
  const { bytes, vocabulary } = compiled;
  const tokenizer = openTokenizer(bytes);
  checkTokenizer(tokenizer, config);
  return { bytes, missing: undefined, vocabulary, generation: withEndTokens(checkpoint, tokenizer) };
}

/**
 * The stop ids that the checkpoint names, and those of its end token and of control tokens that end an answer by their text.
 * generation_config.json of a fine-tuned model is often that of the model it was made of. vLLM joins the first two as well.
 */
function withEndTokens({ generation, chat }: Checkpoint, tokenizer: Tokenizer): Generation {
  const controls = new Set(tokenizer.addedTokens.filter(({ special }) => special).map(({ content }) => content));
  const byText = endTokenIds((token) => (controls.has(token) ? tokenizer.tokenToId(token) : undefined));
  const own = chat.eosToken === null ? undefined : tokenizer.tokenToId(chat.eosToken);
  const all = [...generation.stopTokenIds, ...(own === undefined ? [] : [own]), ...byText];
  return { ...generation, stopTokenIds: [...new Set(all)] };
}

function checkTokenizer({ vocabSize }: Tokenizer, config: ModelConfig): void {
  if (vocabSize <= config.vocabSize) return;
  throw new AppError(
    'checkpoint_mismatch',
    `the tokenizer has ${vocabSize} tokens, but the model a vocabulary of ${config.vocabSize}`,
    { tokenizer: vocabSize, config: config.vocabSize },
  );
}
