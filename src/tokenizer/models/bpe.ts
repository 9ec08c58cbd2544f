import type { ByteAlphabet } from '../byte-alphabet.js';
import type { SectionReader } from '../binary.js';
import { invalid, unsupported } from '../errors.js';
import { toFlag, toIndex, toList, toObject, toText, type JsonObject } from '../json.js';
import { MAX_MERGES, MAX_VOCAB_SIZE } from '../limits.js';
import { writeUtf8 } from '../units.js';
import type { Vocabulary } from '../vocabulary.js';
import { mergePairs } from './merge.js';
import { readMerges, writeMerges, type Merge } from './merge-table.js';
import type { CompiledModel, Model, ModelKind } from './model.js';

/** Byte-level BPE: a word's UTF-8 bytes are the first tokens, merges join them. */
export const BPE: ModelKind = { compile, open };

function compile(spec: JsonObject, alphabet: ByteAlphabet): CompiledModel {
  refuse(spec);
  const vocabulary = toVocabulary(spec['vocab']);
  const byteIds = Int32Array.from(alphabet.charOf, (char) => vocabulary.get(char) ?? -1);
  const unk =
    spec['unk_token'] === null || spec['unk_token'] === undefined
      ? undefined
      : toText(spec['unk_token'], 'model.unk_token');
  if (unk !== undefined && !vocabulary.has(unk)) throw invalid('model.unk_token', 'is not in the vocabulary');
  return {
    vocabulary,
    sections: { byteIds, ...writeMerges(toMerges(spec['merges'], vocabulary)) },
    settings: {
      ignoreMerges: toFlag(spec['ignore_merges'], 'model.ignore_merges', false),
      fuseUnk: toFlag(spec['fuse_unk'], 'model.fuse_unk', false),
      unkId: unk === undefined ? null : vocabulary.get(unk),
    },
  };
}

/** Parts of BPE that byte-level tokenizers do not use. */
function refuse(spec: JsonObject): void {
  if (spec['dropout']) throw unsupported('model.dropout', 'a merge that is dropped at random');
  if (spec['byte_fallback']) throw unsupported('model.byte_fallback', 'byte fallback (SentencePiece style)');
  for (const key of ['continuing_subword_prefix', 'end_of_word_suffix']) {
    if (spec[key]) throw unsupported(`model.${key}`, `the value ${JSON.stringify(spec[key])}`);
  }
}

function toVocabulary(value: unknown): Map<string, number> {
  const entries = Object.entries(toObject(value, 'model.vocab'));
  if (entries.length === 0) throw invalid('model.vocab', 'is empty');
  if (entries.length > MAX_VOCAB_SIZE)
    throw invalid('model.vocab', `has ${entries.length} tokens, the limit is ${MAX_VOCAB_SIZE}`);
  const vocabulary = new Map<string, number>();
  const taken = new Uint8Array(MAX_VOCAB_SIZE);
  for (const [token, value_] of entries) {
    const id = toIndex(value_, 'model.vocab: an id', MAX_VOCAB_SIZE);
    if (taken[id] === 1) throw invalid('model.vocab', `the id ${id} stands twice`);
    taken[id] = 1;
    vocabulary.set(token, id);
  }
  return vocabulary;
}

/** Merges as "a b" or as ["a", "b"]. */
function toMerges(value: unknown, vocabulary: ReadonlyMap<string, number>): Merge[] {
  return toList(value, 'model.merges', MAX_MERGES).map((merge, rank) => {
    const pair: readonly unknown[] = typeof merge === 'string' ? merge.split(' ') : Array.isArray(merge) ? merge : [];
    const [first, second] = pair;
    if (pair.length !== 2 || typeof first !== 'string' || typeof second !== 'string') {
      throw invalid(`model.merges[${rank}]`, 'is no pair of tokens');
    }
    const left = vocabulary.get(first);
    const right = vocabulary.get(second);
    const merged = vocabulary.get(first + second);
    if (left === undefined || right === undefined || merged === undefined) {
      throw invalid(`model.merges[${rank}]`, 'a part of it, or what it makes, is not in the vocabulary');
    }
    return [left, right, merged];
  });
}

function open(
  sections: SectionReader,
  settings: JsonObject,
  vocabulary: Vocabulary,
  controlIds: ReadonlySet<number>,
): Model {
  const merges = readMerges(sections, vocabulary.size);
  const byteIds = sections.words('byteIds');
  if (byteIds.length !== 256 || byteIds.some((id) => id < -1 || id >= vocabulary.size)) {
    throw invalid('tokenizer.bin', 'the table byteIds is out of shape');
  }
  const ignoreMerges = toFlag(settings['ignoreMerges'], 'ignoreMerges', false);
  const fuseUnk = toFlag(settings['fuseUnk'], 'fuseUnk', false);
  const unkId = settings['unkId'] === null ? -1 : toIndex(settings['unkId'], 'unkId', vocabulary.size);
  let bytes = new Uint8Array(256);
  let ids = new Int32Array(256);

  /** The first ids: one a byte; a byte without a token is unknown, or nothing where there is no unknown token. */
  const firstIds = (count: number): number => {
    let kept = 0;
    let fusing = false;
    for (let i = 0; i < count; i++) {
      const id = byteIds[bytes[i] as number] as number;
      if (id >= 0) ids[kept++] = id;
      else if (unkId >= 0 && !(fusing && fuseUnk)) ids[kept++] = unkId;
      fusing = id < 0;
    }
    return kept;
  };

  return {
    encodeWord(units, start, end, out) {
      const room = 3 * (end - start);
      if (room > bytes.length) {
        bytes = new Uint8Array(2 * room);
        ids = new Int32Array(2 * room);
      }
      const count = writeUtf8(units, start, end, bytes);
      const whole = ignoreMerges || count === 1 ? vocabulary.find(bytes, count) : -1;
      if (whole >= 0 && !controlIds.has(whole)) {
        out.push(whole);
      } else {
        const merged = mergePairs(ids, firstIds(count), merges);
        for (let i = 0; i < merged; i++) out.push(ids[i] as number);
      }
      if (bytes.length > 65_536) {
        // do not keep what one very long word needed
        bytes = new Uint8Array(256);
        ids = new Int32Array(256);
      }
    },
  };
}
