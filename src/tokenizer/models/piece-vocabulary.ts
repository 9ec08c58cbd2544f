import { byteOf } from '../decoders/index.js';
import { invalid } from '../errors.js';
import { toFlag, toText, type JsonObject } from '../json.js';
import { isSought, parsePieces, pieceTypes, type Piece } from '../sentencepiece/pieces.js';
import type { CompiledModel } from './model.js';

/** What both models of sentencepiece make of its pieces. */
export interface PieceVocabulary {
  readonly pieces: readonly Piece[];
  readonly parts: Pick<CompiledModel, 'vocabulary' | 'hidden' | 'texts' | 'byteOf'>;
  readonly byteIds: Int32Array;
  readonly settings: {
    readonly unkId: number;
    readonly byteFallback: boolean;
  };
}

/** Reads `model.pieces` and what else the model has. Errors: `tokenizer_invalid`. */
export function compilePieces(spec: JsonObject): PieceVocabulary {
  const pieces = parsePieces(spec);
  const byteFallback = toFlag(spec['byte_fallback'], 'model.byte_fallback', false);
  const vocabulary = new Map<string, number>();
  const hidden = new Set<number>();
  const bytes = new Map<number, number>();
  const byteIds = new Int32Array(256).fill(-1);
  let unkId = -1;
  for (const [id, piece] of pieces.entries()) {
    const { content, type } = piece;
    // A second token of the same text can never be met in a text.
    if (!vocabulary.has(content)) vocabulary.set(content, id);
    if (!isSought(piece)) hidden.add(id);
    if (type === pieceTypes.unknown && unkId < 0) unkId = id;
    if (type !== pieceTypes.byte) continue;
    const byte = byteOf(content);
    if (byte < 0)
      throw invalid(`model.pieces[${id}]`, `is of the type byte, and ${JSON.stringify(content.slice(0, 20))}`);
    bytes.set(id, byte);
    if (byteIds[byte] === -1) byteIds[byte] = id;
  }
  if (unkId < 0) throw invalid('model.pieces', 'none is the unknown token');
  if (byteFallback && byteIds.includes(-1)) throw invalid('model.pieces', 'a byte has no token');
  const texts = new Map([[unkId, toText(spec['unk_surface'], 'model.unk_surface')]]);
  return {
    pieces,
    parts: { vocabulary, hidden, texts, byteOf: bytes },
    byteIds,
    settings: { unkId, byteFallback },
  };
}
