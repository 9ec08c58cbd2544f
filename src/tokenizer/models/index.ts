import { unsupportedTokenizer } from '../errors.js';
import { BPE } from './bpe.js';
import type { ModelKind } from './model.js';
import { SentencePieceBPE } from './sentencepiece-bpe.js';
import { SentencePieceUnigram, Unigram } from './unigram.js';

export type { CompiledModel, TokenizerModel, ModelKind } from './model.js';

/** The models by their `type` in tokenizer.json; tokenizer.json has none of sentencepiece's, which `sentencepiece/` writes. */
export const models = { BPE, Unigram, SentencePieceBPE, SentencePieceUnigram } as const satisfies Readonly<
  Record<string, ModelKind>
>;

/** The model kind named `type`. Errors: `unsupported_tokenizer` for WordPiece and what else there is. */
export function modelOf(type: string): ModelKind {
  const found = Object.entries(models).find(([name]) => name === type);
  if (found === undefined) throw unsupportedTokenizer('model.type', `the model ${JSON.stringify(type.slice(0, 40))}`);
  return found[1];
}
