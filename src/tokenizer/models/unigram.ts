import { joinTexts, type JsonObject } from '../../base/index.js';
import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { readFlag, toIndex, toList, toText } from '../file/json.js';
import { MAX_VOCAB_SIZE } from '../limits.js';
import { isSought, pieceTypes } from '../sentencepiece/pieces.js';
import { TokenContents } from '../tokens/token-contents.js';
import type { TokenNotation } from '../tokens/token-notation.js';
import { writeUtf8 } from '../text/units.js';
import { findBestPath, type PathTokens } from './best-path.js';
import { readByteIds } from './first-ids.js';
import type { CompiledModel, ModelKind } from './model.js';
import { compilePieces } from './piece-vocabulary.js';
import { readTrie, writeTrie } from './token-trie.js';
import { UnknownBytes } from './unknown-bytes.js';

/** How much worse than the worst token an unknown character is. Source: unigram_model.cc, kUnkPenalty. */
const UNK_PENALTY = 10;

const open: ModelKind['open'] = (sections, settings, vocabulary, controlIds) => {
  const byteIds = readByteIds(sections, vocabulary.size);
  const trie = readTrie(sections, vocabulary.size);
  const scores = sections.floats('scores');
  const { unkScore } = settings;
  if (
    trie.ids.some((id) => id >= scores.length) ||
    typeof unkScore !== 'number' ||
    scores.some((score) => Number.isNaN(score))
  )
    throw tokenizerInvalid('tokenizer.bin', 'a token has no score');
  const unkId = toIndex(settings['unkId'], 'unkId', vocabulary.size);
  const fallback = readFlag(settings['byteFallback'], 'byteFallback', false) ? byteIds : undefined;
  const isSingle = readFlag(settings['isSingle'], 'isSingle', false);
  const tokens: PathTokens = { trie, scores, unkScore, isSingle, excluded: controlIds };
  return {
    encodeWord(units, start, end, out) {
      const bytes = new Uint8Array(3 * (end - start));
      const count = writeUtf8(units, start, end, bytes);
      const unknown = new UnknownBytes(fallback, unkId, out);
      findBestPath(bytes, count, tokens, (id, from, to) => {
        if (id >= 0 && id !== unkId) unknown.known(id);
        else unknown.add(bytes, from, to);
      });
    },
  };
};

/** Unigram of tokenizer.json: each text becomes its most probable tokens. */
export const Unigram: ModelKind = {
  compile(spec: JsonObject, notation: TokenNotation): CompiledModel {
    if (notation.isBytes) throw unsupportedTokenizer('model.type', 'Unigram of bytes');
    const entries = toList(spec['vocab'], 'model.vocab', MAX_VOCAB_SIZE).map((each, id) => {
      const where = `model.vocab[${id}]`;
      const [content, score] = toList(each, where, 2);
      if (typeof score !== 'number' || !Number.isFinite(score)) throw tokenizerInvalid(where, 'its score is no number');
      const text = toText(content, where);
      if (!text.isWellFormed()) throw tokenizerInvalid(where, 'is no text: it has half a surrogate pair');
      return { content: text, score };
    });
    if (entries.length === 0) throw tokenizerInvalid('model.vocab', 'is empty');
    if (spec['unk_id'] === null || spec['unk_id'] === undefined)
      throw unsupportedTokenizer('model.unk_id', 'a tokenizer without an unknown token');
    const unkId = toIndex(spec['unk_id'], 'model.unk_id', entries.length);
    const contents = joinTexts(entries.map(({ content }) => content));
    const vocabulary = new TokenContents(contents, undefined, 'last');
    const scores = Float64Array.from(entries, ({ score }) => score);
    return {
      vocabulary,
      sections: {
        byteIds: Int32Array.from(notation.byteTokens, (token) => vocabulary.idOf(token) ?? -1),
        scores,
        ...writeTrie(contents, () => true),
      },
      settings: {
        unkId,
        byteFallback: readFlag(spec['byte_fallback'], 'model.byte_fallback', false),
        unkScore: scores.reduce((lowest, score) => Math.min(lowest, score), Infinity) - UNK_PENALTY,
        isSingle: false,
      },
    };
  },
  open,
};

/** Unigram of sentencepiece, which adds up in single precision. */
export const SentencePieceUnigram: ModelKind = {
  compile(spec: JsonObject): CompiledModel {
    const { pieces, parts, byteIds, settings } = compilePieces(spec);
    const { contents, scores, types } = pieces;
    const normal = scores.filter((_, id) => types[id] === pieceTypes.normal);
    const lowest = normal.reduce((least, score) => Math.min(least, score), 3.4028234663852886e38);
    const highest = normal.reduce((most, score) => Math.max(most, score), 1.1754943508222875e-38);
    const lengthOf = (id: number): number => (contents.offsets[id + 1] as number) - (contents.offsets[id] as number);
    return {
      ...parts,
      sections: {
        byteIds,
        // A user-defined token gets a bonus, so that it is always chosen.
        scores: scores.map((score, id) =>
          types[id] === pieceTypes.userDefined ? Math.fround(lengthOf(id) * highest) - 0.1 : score,
        ),
        ...writeTrie(contents, (id) => isSought(types[id]) && types[id] !== pieceTypes.unused),
      },
      settings: { ...settings, unkScore: Math.fround(lowest - UNK_PENALTY), isSingle: true },
    };
  },
  open,
};
