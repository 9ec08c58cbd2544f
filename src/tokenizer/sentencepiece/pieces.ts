import { invalid } from '../errors.js';
import { toIndex, toList, toText, type JsonObject } from '../json.js';
import { MAX_VOCAB_SIZE } from '../limits.js';

/** What a piece of a sentencepiece model is. Source: google/sentencepiece, sentencepiece_model.proto; GGUF has the same. */
export const pieceTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

/** The largest number of a type. */
const LAST_TYPE = 6;

/** A token of sentencepiece. */
export interface Piece {
  /** As the vocabulary writes it: ▁ for a space, `<0x0A>` for a byte. */
  readonly content: string;
  /** The higher, the better; a log probability for Unigram. */
  readonly score: number;
  /** One of `pieceTypes`. */
  readonly type: number;
}

/** Pieces as `[content, score, type]`, by id. */
export function toPieceSpecs(pieces: readonly Piece[]): readonly unknown[] {
  return pieces.map(({ content, score, type }) => [content, score, type]);
}

/** Reads what `toPieceSpecs` made: `model.pieces`. Errors: `tokenizer_invalid`. */
export function parsePieces(spec: JsonObject): readonly Piece[] {
  const list = toList(spec['pieces'], 'model.pieces', MAX_VOCAB_SIZE);
  if (list.length === 0) throw invalid('model.pieces', 'is empty');
  return list.map((each, id) => {
    const where = `model.pieces[${id}]`;
    const [content, score, type] = toList(each, where, 3);
    if (typeof score !== 'number' || !Number.isFinite(score)) throw invalid(where, 'its score is no number');
    return { content: toText(content, where), score, type: toIndex(type, where, LAST_TYPE + 1) };
  });
}

/** Whether text can become this piece. */
export function isSought({ type }: Piece): boolean {
  return type === pieceTypes.normal || type === pieceTypes.userDefined || type === pieceTypes.unused;
}
