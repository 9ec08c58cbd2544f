import { joinedText, TextJoiner, type JoinedTexts } from '../../base/index.js';
import { pieceTypes, toPieceTypes, type PieceTable, type SentencePieceSpec } from '../../tokenizer/index.js';
import type { TextList } from '../../weights/index.js';
import { invalidFile } from '../errors.js';
import type { MetadataReader } from './metadata-reader.js';
import { readTokenId } from './token-ids.js';

/** Default text of the unknown token; GGUF cannot set another. Source: sentencepiece_model.proto. */
const UNK_SURFACE = ' \u2047 ';

/** `tokenizer.ggml.model` → its kind, and llama.cpp's implied settings. Source: llama.cpp, llama-vocab.cpp. */
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

/** The tokenizer of a GGUF file whose tokens have scores. Errors: `checkpoint_invalid`. */
export function readSentencePiece(
  metadata: MetadataReader,
  name: SentencePieceName,
  tokens: TextList,
): SentencePieceSpec {
  const { kind, addBos, addEos } = kinds[name];
  const pieces = readPieces(metadata, tokens);
  const frame = (token: 'bos' | 'eos', absent: boolean): number[] => {
    const id = readTokenId(metadata, token);
    const isAdded = metadata.flag(`tokenizer.ggml.add_${token}_token`) ?? absent;
    return isAdded && id !== undefined && id < tokens.length ? [id] : [];
  };
  const charsmap = metadata.numbers('tokenizer.ggml.precompiled_charsmap') ?? [];
  return {
    kind,
    pieces,
    byteFallback: pieces.types.filter((type) => type === pieceTypes.byte).length >= 256,
    unkSurface: UNK_SURFACE,
    addDummyPrefix: metadata.flag('tokenizer.ggml.add_space_prefix') ?? true,
    removeExtraWhitespaces: metadata.flag('tokenizer.ggml.remove_extra_whitespaces') ?? false,
    charsmap: Uint8Array.from(charsmap),
    isUnknownCut: true,
    before: frame('bos', addBos),
    after: frame('eos', addEos),
  };
}

/** Tokens, scores and types; a token without a type gets the type of its form. */
function readPieces(metadata: MetadataReader, tokens: TextList): PieceTable {
  const { file } = metadata;
  const scores = metadata.numbers('tokenizer.ggml.scores');
  const given = metadata.numbers('tokenizer.ggml.token_type');
  if (scores === undefined) throw invalidFile(file, 'has no tokenizer.ggml.scores');
  for (const [key, list] of [['scores', scores] as const, ['token_type', given] as const]) {
    if (list !== undefined && list.length !== tokens.length)
      throw invalidFile(file, `has ${list.length} tokenizer.ggml.${key} for ${tokens.length} tokens`);
  }
  const contents = tokens.toJoined();
  const types = given === undefined ? typesByLook(contents) : toPieceTypes(given);
  const unknown = types.indexOf(pieceTypes.unknown);
  const controls = ['bos', 'eos', 'eot', 'eom'].map((name) => readTokenId(metadata, name));
  for (const id of controls) if (id !== undefined && id < types.length) types[id] = pieceTypes.control;
  const unkId = unknown >= 0 ? unknown : (readTokenId(metadata, 'unknown') ?? 0);
  if (unkId < types.length) types[unkId] = pieceTypes.unknown;
  return { contents: withMarks(contents, types), scores: new Float64Array(scores), types };
}

function typesByLook(contents: JoinedTexts): Uint8Array {
  const types = new Uint8Array(contents.offsets.length - 1);
  return types.map((_, id) =>
    /^<0x[\dA-F]{2}>$/.test(joinedText(contents, id)) ? pieceTypes.byte : pieceTypes.normal,
  );
}

/** llama.cpp's converter writes spaces in user-defined tokens; sentencepiece searches them as ▁. */
function withMarks(contents: JoinedTexts, types: Uint8Array): JoinedTexts {
  const marked = new TextJoiner(types.length, contents.bytes.length);
  const { userDefined } = pieceTypes;
  let next = 0;
  for (let id = types.indexOf(userDefined); id >= 0; id = types.indexOf(userDefined, id + 1)) {
    marked.addAll(contents, next, id);
    const content = Buffer.from(joinedText(contents, id).replaceAll(' ', '▁'));
    marked.add(content, 0, content.length);
    next = id + 1;
  }
  if (next === 0) return contents;
  marked.addAll(contents, next, types.length);
  return marked.join();
}
