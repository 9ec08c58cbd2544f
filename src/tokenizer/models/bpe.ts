import type { SectionReader } from '../binary.js';
import { invalid, unsupported } from '../errors.js';
import { toFlag, toIndex, toList, toObject, toText, type JsonObject } from '../json.js';
import { MAX_MERGES, MAX_VOCAB_SIZE } from '../limits.js';
import type { TokenNotation } from '../token-notation.js';
import { writeUtf8 } from '../units.js';
import type { Vocabulary } from '../vocabulary.js';
import { readFirstIds } from './first-ids.js';
import { mergePairs } from './merge.js';
import { readMerges, writeMerges, type Merge } from './merge-table.js';
import type { CompiledModel, Model, ModelKind } from './model.js';
import { findGlued, readSpaceCut } from './space-cut.js';

/** BPE: a word's bytes or characters are the first tokens, merges join them. */
export const BPE: ModelKind = { compile, open };

function compile(spec: JsonObject, notation: TokenNotation): CompiledModel {
  refuse(spec, notation);
  const vocabulary = toVocabulary(spec['vocab']);
  const byteIds = Int32Array.from(notation.byteTokens, (token) => vocabulary.get(token) ?? -1);
  const unk =
    spec['unk_token'] === null || spec['unk_token'] === undefined
      ? undefined
      : toText(spec['unk_token'], 'model.unk_token');
  if (unk !== undefined && !vocabulary.has(unk)) throw invalid('model.unk_token', 'is not in the vocabulary');
  const merges = toMerges(spec['merges'], vocabulary);
  const settings = {
    ignoreMerges: toFlag(spec['ignore_merges'], 'model.ignore_merges', false),
    fuseUnk: toFlag(spec['fuse_unk'], 'model.fuse_unk', false),
    unkId: unk === undefined ? null : vocabulary.get(unk),
  };
  const sections = { byteIds, ...writeMerges(merges) };
  if (notation.isBytes) return { vocabulary, sections, settings };
  const byteFallback = toFlag(spec['byte_fallback'], 'model.byte_fallback', false);
  const isParted =
    !settings.ignoreMerges && vocabulary.has('▁') && !(byteFallback && byteIds.includes(-1) && unk !== undefined);
  const glued = isParted ? findGlued(mergedTokens(vocabulary, merges)) : null;
  return { vocabulary, sections, settings: { ...settings, isText: true, byteFallback, glued } };
}

/** The contents of all tokens that a merge makes. */
function mergedTokens(vocabulary: ReadonlyMap<string, number>, merges: readonly Merge[]): string[] {
  const made = new Set(merges.map(([, , merged]) => merged));
  return [...vocabulary].flatMap(([content, id]) => (made.has(id) ? [content] : []));
}

/** Parts of BPE that published tokenizers do not use. */
function refuse(spec: JsonObject, { isBytes }: TokenNotation): void {
  if (spec['dropout']) throw unsupported('model.dropout', 'a merge that is dropped at random');
  if (spec['byte_fallback'] && isBytes) throw unsupported('model.byte_fallback', 'byte fallback of bytes');
  for (const key of ['continuing_subword_prefix', 'end_of_word_suffix']) {
    if (spec[key]) throw unsupported(`model.${key}`, `the value ${JSON.stringify(spec[key])}`);
  }
}

function toVocabulary(value: unknown): Map<string, number> {
  // The map of a caller in this package is the vocabulary as it is: it has each token once already.
  const vocabulary: Map<string, number> =
    value instanceof Map ? value : new Map(Object.entries(toObject(value, 'model.vocab')) as [string, number][]);
  if (vocabulary.size === 0) throw invalid('model.vocab', 'is empty');
  if (vocabulary.size > MAX_VOCAB_SIZE)
    throw invalid('model.vocab', `has ${vocabulary.size} tokens, the limit is ${MAX_VOCAB_SIZE}`);
  const taken = new Uint8Array(MAX_VOCAB_SIZE);
  for (const given of vocabulary.values()) {
    const id = toIndex(given, 'model.vocab: an id', MAX_VOCAB_SIZE);
    if (taken[id] === 1) throw invalid('model.vocab', `the id ${id} stands twice`);
    taken[id] = 1;
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
  const ignoreMerges = toFlag(settings['ignoreMerges'], 'ignoreMerges', false);
  const isText = toFlag(settings['isText'], 'isText', false);
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
        // do not keep what one very long word needed
        bytes = new Uint8Array(256);
        ids = new Int32Array(256);
      }
    },
  };
}
