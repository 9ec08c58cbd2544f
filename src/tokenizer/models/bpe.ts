import { isJoined, joinTexts, type JsonObject } from '../../base/index.js';
import type { SectionReader } from '../file/binary.js';
import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { readFlag, toIndex, toObject, toText } from '../file/json.js';
import { MAX_VOCAB_SIZE } from '../limits.js';
import { TokenContents } from '../tokens/token-contents.js';
import type { TokenNotation } from '../tokens/token-notation.js';
import { writeUtf8 } from '../text/units.js';
import type { TokenVocabulary } from '../tokens/vocabulary.js';
import { readFirstIds } from './first-ids.js';
import { mergePairs } from './merge.js';
import { readMerges, writeMerges } from './merge-table.js';
import { readMergeTexts } from './merge-texts.js';
import type { CompiledModel, TokenizerModel, ModelKind } from './model.js';
import { findGlued, readSpaceCut } from './space-cut.js';

/** BPE: a word's bytes or characters are the first tokens, merges join them. */
export const BPE: ModelKind = { compile, open };

function compile(spec: JsonObject, notation: TokenNotation): CompiledModel {
  refuse(spec, notation);
  const vocabulary = toVocabulary(spec['vocab']);
  const byteIds = Int32Array.from(notation.byteTokens, (token) => vocabulary.idOf(token) ?? -1);
  const unk =
    spec['unk_token'] === null || spec['unk_token'] === undefined
      ? undefined
      : toText(spec['unk_token'], 'model.unk_token');
  const unkId = unk === undefined ? undefined : vocabulary.idOf(unk);
  if (unk !== undefined && unkId === undefined) throw tokenizerInvalid('model.unk_token', 'is not in the vocabulary');
  const merges = readMergeTexts(spec['merges'], vocabulary);
  const settings = {
    ignoreMerges: readFlag(spec['ignore_merges'], 'model.ignore_merges', false),
    fuseUnk: readFlag(spec['fuse_unk'], 'model.fuse_unk', false),
    unkId: unkId ?? null,
  };
  const sections = { byteIds, ...writeMerges(merges) };
  if (notation.isBytes) return { vocabulary, sections, settings };
  const byteFallback = readFlag(spec['byte_fallback'], 'model.byte_fallback', false);
  const isParted =
    !settings.ignoreMerges &&
    vocabulary.idOf('▁') !== undefined &&
    !(byteFallback && byteIds.includes(-1) && unk !== undefined);
  const made = isParted ? new Set(merges.merged) : undefined;
  const glued = made === undefined ? null : findGlued(vocabulary, (id) => made.has(id));
  return { vocabulary, sections, settings: { ...settings, isText: true, byteFallback, glued } };
}

/** Parts of BPE that published tokenizers do not use. */
function refuse(spec: JsonObject, { isBytes }: TokenNotation): void {
  if (spec['dropout']) throw unsupportedTokenizer('model.dropout', 'a merge that is dropped at random');
  if (spec['byte_fallback'] && isBytes) throw unsupportedTokenizer('model.byte_fallback', 'byte fallback of bytes');
  for (const key of ['continuing_subword_prefix', 'end_of_word_suffix']) {
    if (spec[key]) throw unsupportedTokenizer(`model.${key}`, `the value ${JSON.stringify(spec[key])}`);
  }
}

/** The object of tokenizer.json, token → id, or joined texts by id of a caller in this package. */
function toVocabulary(value: unknown): TokenContents {
  if (isJoined(value)) {
    checkSize(value.offsets.length - 1);
    return new TokenContents(value);
  }
  const entries = Object.entries(toObject(value, 'model.vocab'));
  checkSize(entries.length);
  const taken = new Uint8Array(MAX_VOCAB_SIZE);
  const ids = Int32Array.from(entries, ([content, given]) => {
    const id = toIndex(given, 'model.vocab: an id', MAX_VOCAB_SIZE);
    if (taken[id] === 1) throw tokenizerInvalid('model.vocab', `the id ${id} stands twice`);
    if (!content.isWellFormed())
      throw tokenizerInvalid('model.vocab', `the token ${id} is no text: it has half a surrogate pair`);
    taken[id] = 1;
    return id;
  });
  return new TokenContents(joinTexts(entries.map(([content]) => content)), ids);
}

function checkSize(size: number): void {
  if (size === 0) throw tokenizerInvalid('model.vocab', 'is empty');
  if (size > MAX_VOCAB_SIZE)
    throw tokenizerInvalid('model.vocab', `has ${size} tokens, the limit is ${MAX_VOCAB_SIZE}`);
}

function open(
  sections: SectionReader,
  settings: JsonObject,
  vocabulary: TokenVocabulary,
  controlIds: ReadonlySet<number>,
): TokenizerModel {
  const merges = readMerges(sections, vocabulary.size);
  const ignoreMerges = readFlag(settings['ignoreMerges'], 'ignoreMerges', false);
  const isText = readFlag(settings['isText'], 'isText', false);
  const firstIds = readFirstIds(sections, settings, vocabulary);
  let bytes = new Uint8Array(256);
  let ids = new Int32Array(256);

  return {
    cut: readSpaceCut(settings['glued'], 'glued'),
    encodeWord(units, start, end, out) {
      const room = 3 * (end - start);
      if (room > bytes.length) {
        bytes = new Uint8Array(2 * room);
        ids = new Int32Array(2 * room);
      }
      const count = writeUtf8(units, start, end, bytes);
      const whole = ignoreMerges || (count === 1 && !isText) ? vocabulary.find(bytes, count) : -1;
      if (whole >= 0 && !controlIds.has(whole)) {
        out.push(whole);
      } else {
        const merged = mergePairs(ids, firstIds(bytes, count, ids), merges);
        for (let i = 0; i < merged; i++) out.push(ids[i] as number);
      }
      if (bytes.length > 65_536) {
        // frees the buffer that one very long word needed
        bytes = new Uint8Array(256);
        ids = new Int32Array(256);
      }
    },
  };
}
