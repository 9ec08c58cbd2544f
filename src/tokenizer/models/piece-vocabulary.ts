import { joinedText, type JsonObject } from '../../base/index.js';
import { byteOf } from '../decoders/index.js';
import { tokenizerInvalid } from '../errors.js';
import { readFlag, toText } from '../file/json.js';
import { isSought, parsePieces, piecesOf, pieceTypes, type PieceTable } from '../sentencepiece/pieces.js';
import { TokenContents } from '../tokens/token-contents.js';
import type { CompiledModel } from './model.js';

/** The vocabulary that both models of sentencepiece make from its pieces. */
export interface PieceVocabulary {
  readonly pieces: PieceTable;
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
  const { contents, types } = pieces;
  const byteFallback = readFlag(spec['byte_fallback'], 'model.byte_fallback', false);
  const hidden = new Set<number>();
  for (let id = 0; id < types.length; id++) if (!isSought(types[id])) hidden.add(id);
  const bytes = new Map<number, number>();
  const byteIds = new Int32Array(256).fill(-1);
  for (const id of piecesOf(pieces, pieceTypes.byte)) {
    const content = joinedText(contents, id);
    const byte = byteOf(content);
    if (byte < 0)
      throw tokenizerInvalid(`model.pieces[${id}]`, `is of the type byte, and ${JSON.stringify(content.slice(0, 20))}`);
    bytes.set(id, byte);
    if (byteIds[byte] === -1) byteIds[byte] = id;
  }
  const unkId = types.indexOf(pieceTypes.unknown);
  if (unkId < 0) throw tokenizerInvalid('model.pieces', 'none is the unknown token');
  if (byteFallback && byteIds.includes(-1)) throw tokenizerInvalid('model.pieces', 'a byte has no token');
  const texts = new Map([[unkId, toText(spec['unk_surface'], 'model.unk_surface')]]);
  return {
    pieces,
    parts: { vocabulary: new TokenContents(contents), hidden, texts, byteOf: bytes },
    byteIds,
    settings: { unkId, byteFallback },
  };
}
