import { joinedText, type JsonObject } from '../../base/index.js';
import type { SectionReader } from '../file/binary.js';
import { tokenizerInvalid } from '../errors.js';
import { readFlag, toIndex, toList } from '../file/json.js';
import { MAX_VOCAB_SIZE } from '../limits.js';
import { isSought, piecesOf, pieceTypes } from '../sentencepiece/pieces.js';
import { writeUtf8 } from '../text/units.js';
import type { TokenVocabulary } from '../tokens/vocabulary.js';
import { readByteIds } from './first-ids.js';
import { mergeByScore, type ScoredVocabulary } from './merge-by-score.js';
import type { CompiledModel, TokenizerModel, ModelKind } from './model.js';
import { compilePieces } from './piece-vocabulary.js';
import { findGlued, readSpaceCut } from './space-cut.js';
import { UnknownBytes } from './unknown-bytes.js';

/** BPE of sentencepiece: tokens have scores, and the two neighbours that make the token of the best score are joined. */
export const SentencePieceBPE: ModelKind = { compile, open };

function compile(spec: JsonObject): CompiledModel {
  const { pieces, parts, byteIds, settings } = compilePieces(spec);
  const { vocabulary } = parts;
  const { contents, types } = pieces;
  /** 1 for ids in the vocabulary whose content is that of a piece which is sought. */
  const sought = new Uint8Array(types.length);
  for (let id = 0; id < types.length; id++) {
    if (!isSought(types[id])) continue;
    // Mostly it is the id itself: of two pieces with the same content the vocabulary has the first.
    const { bytes, offsets } = contents;
    sought[vocabulary.has(id) ? id : vocabulary.find(bytes, offsets[id] as number, offsets[id + 1] as number)] = 1;
  }
  const isThere = (content: string): boolean => sought[vocabulary.idOf(content) ?? -1] === 1;
  // Padding of a vocabulary is unused as well, but merging never reaches it.
  const unused = new Set<number>();
  const hidden = new Set(parts.hidden);
  for (const id of piecesOf(pieces, pieceTypes.unused)) {
    (isMade(joinedText(contents, id), isThere) ? unused : hidden).add(id);
  }
  // How an unused token is taken apart depends on the whole text; unknown characters are one token across words.
  const isParted = unused.size === 0 && (settings.byteFallback || isThere('▁'));
  return {
    ...parts,
    hidden,
    sections: { byteIds, scoreRanks: rankScores(pieces.scores) },
    settings: {
      ...settings,
      unused: [...unused],
      glued: isParted ? findGlued(vocabulary, (id) => sought[id] === 1) : null,
    },
  };
}

/** The place of each score among all, the best first; equal scores have equal places. */
function rankScores(scores: Float64Array): Int32Array {
  const distinct = distinctFalling(scores);
  const ranks = new Int32Array(scores.length);
  let rank = 0;
  for (let id = 0; id < scores.length; id++) {
    const score = scores[id] as number;
    // Most scores are the next one, or the same.
    if (distinct[rank] !== score && distinct[++rank] !== score) rank = findFalling(distinct, score);
    ranks[id] = rank;
  }
  return ranks;
}

/** All scores from the highest on, each once. Most fall from token to token, and are not sorted. */
function distinctFalling(scores: Float64Array): Float64Array {
  const lowest = new Float64Array(scores.length);
  const others = new Float64Array(scores.length);
  let numLowest = 0;
  let numOthers = 0;
  let last = Infinity;
  for (let id = 0; id < scores.length; id++) {
    const score = scores[id] as number;
    if (score < last) lowest[numLowest++] = last = score;
    else if (score > last && score !== scores[id - 1]) others[numOthers++] = score;
  }
  const rest = others.subarray(0, numOthers).toSorted().toReversed();
  const distinct = new Float64Array(numLowest + numOthers);
  let count = 0;
  for (let a = 0, b = 0; a < numLowest || b < numOthers;) {
    const isNext = b === numOthers || (a < numLowest && (lowest[a] as number) > (rest[b] as number));
    const score = (isNext ? lowest[a++] : rest[b++]) as number;
    if (count === 0 || score !== distinct[count - 1]) distinct[count++] = score;
  }
  return distinct.subarray(0, count);
}

/** The place of `score`, which is one of `falling`. */
function findFalling(falling: Float64Array, score: number): number {
  let low = 0;
  let high = falling.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((falling[middle] as number) > score) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether two tokens, or characters, can be next to each other that together are `content`. */
function isMade(content: string, isSoughtToken: (content: string) => boolean): boolean {
  const characters = Array.from(content);
  const isThere = (part: readonly string[]): boolean => part.length === 1 || isSoughtToken(part.join(''));
  return characters.some((_, i) => i > 0 && isThere(characters.slice(0, i)) && isThere(characters.slice(i)));
}

function open(sections: SectionReader, settings: JsonObject, vocabulary: TokenVocabulary): TokenizerModel {
  const byteIds = readByteIds(sections, vocabulary.size);
  const ranks = sections.words('scoreRanks');
  if (ranks.length > vocabulary.size || ranks.some((rank) => rank < 0 || rank > MAX_VOCAB_SIZE))
    throw tokenizerInvalid('tokenizer.bin', 'the table scoreRanks is out of shape');
  const unused = new Set(
    toList(settings['unused'], 'unused', MAX_VOCAB_SIZE).map((id) => toIndex(id, 'unused', vocabulary.size)),
  );
  const unkId = toIndex(settings['unkId'], 'unkId', vocabulary.size);
  const fallback = readFlag(settings['byteFallback'], 'byteFallback', false) ? byteIds : undefined;
  const scored: ScoredVocabulary = {
    // An added token after the last piece has no score, and is no piece.
    find: (bytes, start, end) => {
      const id = vocabulary.find(bytes, end - start, start);
      return id < ranks.length ? id : -1;
    },
    rankOf: (id) => ranks[id] as number,
    isUnused: (id) => unused.has(id),
  };
  return {
    cut: readSpaceCut(settings['glued'], 'glued'),
    encodeWord(units, start, end, out) {
      const bytes = new Uint8Array(3 * (end - start));
      const count = writeUtf8(units, start, end, bytes);
      const unknown = new UnknownBytes(fallback, unkId, out);
      mergeByScore(bytes, count, scored, (id, from, to) => {
        if (id >= 0) unknown.known(id);
        else unknown.add(bytes, from, to);
      });
    },
  };
}
