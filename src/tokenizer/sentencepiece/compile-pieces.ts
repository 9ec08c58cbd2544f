import { joinedText } from '../../base/index.js';
import { compileSpec } from '../file/compile.js';
import type { AddedToken } from '../tokens/added-tokens.js';
import { toAddedTokenSpecs } from '../tokens/added-tokens.js';
import { piecesOf, pieceTypes, type PieceTable } from './pieces.js';

/** A tokenizer of sentencepiece, wherever it was read. */
export interface SentencePieceSpec {
  /** How text becomes tokens: by merges, or by the most probable way. */
  readonly kind: 'BPE' | 'Unigram';
  /** By id. One of them at least is the unknown token. */
  readonly pieces: PieceTable;
  /** Characters without a token become the tokens of their bytes, which are all there. */
  readonly byteFallback: boolean;
  /** The decoded text of the unknown token. */
  readonly unkSurface: string;
  /** A text begins with a ▁ that it does not have. */
  readonly addDummyPrefix: boolean;
  /** Spaces at the ends of a text, and all but one of a row, are dropped. */
  readonly removeExtraWhitespaces: boolean;
  /** The compiled table of character replacements; empty for none. */
  readonly charsmap: Uint8Array;
  /** Ids that are put before a text. */
  readonly before: readonly number[];
  /** Ids that are put after a text. */
  readonly after: readonly number[];
  /** The unknown token is cut out of a text too, as a control token is, as in GGUF. Default false. */
  readonly isUnknownCut?: boolean;
  /** Added tokens that are no pieces, or pieces with further settings. */
  readonly added?: readonly AddedToken[];
}

/**
 * tokenizer.bin of a sentencepiece model. Control tokens are cut out of a text, unless the caller declares them text;
 * the parts between are encoded as sentencepiece would encode each alone. User-defined tokens are searched in the
 * normalised text, so that they take no ▁ of their own. Errors: `tokenizer_invalid`, `unsupported_tokenizer`.
 */
export function compileSentencePiece(spec: SentencePieceSpec): Uint8Array {
  const { pieces, removeExtraWhitespaces, addDummyPrefix, charsmap } = spec;
  const userDefined = piecesOf(pieces, pieceTypes.userDefined).map((id) => joinedText(pieces.contents, id));
  const keeps = charsmap.length > 0 || removeExtraWhitespaces;
  const spaces = { add_dummy_prefix: addDummyPrefix, remove_extra_whitespaces: removeExtraWhitespaces };
  return compileSpec({
    added_tokens: toAddedTokenSpecs(addedTokensOf(spec)),
    normalizer: {
      type: 'SentencePiece',
      ...spaces,
      precompiled_charsmap: Buffer.from(charsmap).toString('base64'),
      user_defined: keeps ? userDefined : [],
    },
    pre_tokenizer: null,
    post_processor: toFrameSpec(spec),
    decoder: { type: 'SentencePiece', ...spaces },
    model: {
      type: spec.kind === 'BPE' ? 'SentencePieceBPE' : 'SentencePieceUnigram',
      pieces,
      byte_fallback: spec.byteFallback,
      unk_surface: spec.unkSurface,
    },
  });
}

/** The given tokens, and the pieces that are control tokens or user-defined; each id and each content once. */
function addedTokensOf({ pieces, added = [], isUnknownCut = false }: SentencePieceSpec): AddedToken[] {
  const ids = new Set(added.map(({ id }) => id));
  const contents = new Set(added.map(({ content }) => content));
  const types = [pieceTypes.control, pieceTypes.userDefined, ...(isUnknownCut ? [pieceTypes.unknown] : [])];
  const found = types.flatMap((type) => piecesOf(pieces, type));
  const own = found
    .toSorted((a, b) => a - b)
    .flatMap((id): AddedToken[] => {
      const content = joinedText(pieces.contents, id);
      if (ids.has(id) || contents.has(content)) return [];
      contents.add(content);
      const special = pieces.types[id] !== pieceTypes.userDefined;
      return [{ id, content, special, normalized: !special, lstrip: false, rstrip: false, singleWord: false }];
    });
  return [...added, ...own];
}

function toFrameSpec({ before, after, pieces }: SentencePieceSpec): object | null {
  if (before.length + after.length === 0) return null;
  const special: Record<string, object> = {};
  const toPart = (id: number): object => {
    special[String(id)] = { id: String(id), ids: [id], tokens: [joinedText(pieces.contents, id)] };
    return { SpecialToken: { id: String(id), type_id: 0 } };
  };
  const single = [...before.map(toPart), { Sequence: { id: 'A', type_id: 0 } }, ...after.map(toPart)];
  return { type: 'TemplateProcessing', single, pair: [], special_tokens: special };
}
