import { isJoined, joinTexts, type JoinedTexts, type JsonObject } from '../../base/index.js';
import { tokenizerInvalid } from '../errors.js';
import { toIndex, toObject } from '../file/json.js';
import { MAX_VOCAB_SIZE } from '../limits.js';

/** Types of a sentencepiece model's pieces. Source: google/sentencepiece, sentencepiece_model.proto; GGUF has the same. */
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

/** All tokens of a model by id, as flat tables. */
export interface PieceTable {
  /** The piece of each token. */
  readonly contents: JoinedTexts;
  /** Log probabilities. */
  readonly scores: Float64Array;
  /** Values of `pieceTypes`. */
  readonly types: Uint8Array;
}

/** Checks types. Errors: `tokenizer_invalid` for one that there is not. */
export function toPieceTypes(types: ArrayLike<number>): Uint8Array {
  const table = new Uint8Array(types.length);
  for (let id = 0; id < types.length; id++) {
    const type = types[id] as number;
    // Places are written for errors alone.
    table[id] =
      type >= 0 && type <= LAST_TYPE && Number.isInteger(type)
        ? type
        : toIndex(type, `model.pieces[${id}]`, LAST_TYPE + 1);
  }
  return table;
}

/** The table of single pieces. Errors: `tokenizer_invalid` for a type that there is not. */
export function toPieceTable(pieces: readonly Piece[]): PieceTable {
  return {
    contents: joinTexts(pieces.map(({ content }) => content)),
    scores: Float64Array.from(pieces, ({ score }) => score),
    types: toPieceTypes(pieces.map(({ type }) => type)),
  };
}

/** Parses `model.pieces`, a `PieceTable`. Errors: `tokenizer_invalid`. */
export function parsePieces(spec: JsonObject): PieceTable {
  const { contents, scores, types } = toObject(spec['pieces'], 'model.pieces');
  // Of a tokenizer.json, which names this model although none is published with it, they are something else.
  if (!isJoined(contents) || !(scores instanceof Float64Array) || !(types instanceof Uint8Array))
    throw tokenizerInvalid('model.pieces', 'is no table of tokens, scores and types');
  if (types.length === 0) throw tokenizerInvalid('model.pieces', 'is empty');
  if (types.length > MAX_VOCAB_SIZE)
    throw tokenizerInvalid('model.pieces', `has ${types.length} items, the limit is ${MAX_VOCAB_SIZE}`);
  for (let id = 0; id < types.length; id++) {
    if (!Number.isFinite(scores[id])) throw tokenizerInvalid(`model.pieces[${id}]`, 'its score is no number');
  }
  return { contents, scores, types };
}

/** Whether text can become a piece of that type. */
export function isSought(type: number | undefined): boolean {
  return type === pieceTypes.normal || type === pieceTypes.userDefined || type === pieceTypes.unused;
}

/** The ids of all pieces of that type. */
export function piecesOf({ types }: PieceTable, type: number): number[] {
  const ids: number[] = [];
  for (let id = types.indexOf(type); id >= 0; id = types.indexOf(type, id + 1)) ids.push(id);
  return ids;
}
