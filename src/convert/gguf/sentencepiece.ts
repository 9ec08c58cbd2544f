import { pieceTypes, type Piece, type SentencePieceSpec } from '../../tokenizer/index.js';
import { invalidFile } from '../errors.js';
import type { MetadataReader } from './metadata-reader.js';
import { readTokenId } from './token-ids.js';

/** What the unknown token decodes to unless a model says otherwise, which GGUF cannot. Source: sentencepiece_model.proto. */
const UNK_SURFACE = ' \u2047 ';

/** `tokenizer.ggml.model` → what it is, and what llama.cpp takes for granted with it. Source: llama.cpp, llama-vocab.cpp. */
const kinds = {
  llama: { kind: 'BPE', addBos: true, addEos: false },
  t5: { kind: 'Unigram', addBos: false, addEos: true },
} as const;

/** The names of these kinds. */
export type SentencePieceName = keyof typeof kinds;

/** Whether `tokenizer.ggml.model` is a kind of sentencepiece. */
export function isSentencePiece(name: string | undefined): name is SentencePieceName {
  return name !== undefined && Object.hasOwn(kinds, name);
}

/** The tokenizer of a GGUF file that has tokens with scores. Errors: `checkpoint_invalid`. */
export function readSentencePiece(metadata: MetadataReader, name: SentencePieceName): SentencePieceSpec {
  const { kind, addBos, addEos } = kinds[name];
  const pieces = readPieces(metadata);
  const frame = (token: 'bos' | 'eos', absent: boolean): number[] => {
    const id = readTokenId(metadata, token);
    const isAdded = metadata.flag(`tokenizer.ggml.add_${token}_token`) ?? absent;
    return isAdded && id !== undefined && id < pieces.length ? [id] : [];
  };
  const charsmap = metadata.numbers('tokenizer.ggml.precompiled_charsmap') ?? [];
  return {
    kind,
    pieces,
    byteFallback: pieces.filter(({ type }) => type === pieceTypes.byte).length >= 256,
    unkSurface: UNK_SURFACE,
    addDummyPrefix: metadata.flag('tokenizer.ggml.add_space_prefix') ?? true,
    removeExtraWhitespaces: metadata.flag('tokenizer.ggml.remove_extra_whitespaces') ?? false,
    charsmap: Uint8Array.from(charsmap),
    before: frame('bos', addBos),
    after: frame('eos', addEos),
  };
}

/** Tokens, scores and types; those without a type are what they look like. */
function readPieces(metadata: MetadataReader): Piece[] {
  const { file } = metadata;
  const tokens = metadata.texts('tokenizer.ggml.tokens') ?? [];
  const scores = metadata.numbers('tokenizer.ggml.scores');
  const types = metadata.numbers('tokenizer.ggml.token_type');
  if (scores === undefined) throw invalidFile(file, 'has no tokenizer.ggml.scores');
  for (const [key, list] of [['scores', scores] as const, ['token_type', types] as const]) {
    if (list !== undefined && list.length !== tokens.length)
      throw invalidFile(file, `has ${list.length} tokenizer.ggml.${key} for ${tokens.length} tokens`);
  }
  const controls = new Set(['bos', 'eos', 'eot', 'eom'].map((name) => readTokenId(metadata, name)));
  const unknown = types?.indexOf(pieceTypes.unknown) ?? -1;
  const unkId = unknown >= 0 ? unknown : (readTokenId(metadata, 'unknown') ?? 0);
  return tokens.map((content, id) => {
    const given = types?.[id] ?? (/^<0x[\dA-F]{2}>$/.test(content) ? pieceTypes.byte : pieceTypes.normal);
    const type = id === unkId ? pieceTypes.unknown : controls.has(id) ? pieceTypes.control : given;
    // The converter of llama.cpp writes spaces in user-defined tokens; sentencepiece seeks them as ▁.
    return {
      content: type === pieceTypes.userDefined ? content.replaceAll(' ', '▁') : content,
      score: scores[id] ?? 0,
      type,
    };
  });
}
