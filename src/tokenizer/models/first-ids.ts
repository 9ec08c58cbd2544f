import { type JsonObject } from '../../base/index.js';
import { tokenizerInvalid } from '../errors.js';
import { readFlag, toIndex } from '../file/json.js';
import type { SectionReader } from '../file/binary.js';
import { characterLength } from '../text/units.js';
import type { TokenVocabulary } from '../tokens/vocabulary.js';

/** Writes the ids that merging begins with for `bytes[0, count)`, at most one a byte, into `ids`; returns how many. */
export type FirstIds = (bytes: Uint8Array, count: number, ids: Int32Array) => number;

/** byte → id of its token, -1 where there is none. Errors: `tokenizer_invalid`. */
export function readByteIds(sections: SectionReader, vocabSize: number): Int32Array {
  const byteIds = sections.words('byteIds');
  if (byteIds.length !== 256 || byteIds.some((id) => id < -1 || id >= vocabSize)) {
    throw tokenizerInvalid('tokenizer.bin', 'the table byteIds is out of shape');
  }
  return byteIds;
}

/** Reads which of the two ways a model has. */
export function readFirstIds(sections: SectionReader, settings: JsonObject, vocabulary: TokenVocabulary): FirstIds {
  const byteIds = readByteIds(sections, vocabulary.size);
  const fuseUnk = readFlag(settings['fuseUnk'], 'fuseUnk', false);
  const unkId = settings['unkId'] === null ? -1 : toIndex(settings['unkId'], 'unkId', vocabulary.size);
  if (!readFlag(settings['isText'], 'isText', false)) return byBytes(byteIds, unkId, fuseUnk);
  const fallback = readFlag(settings['byteFallback'], 'byteFallback', false);
  return byCharacters(vocabulary, fallback ? byteIds : new Int32Array(256).fill(-1), unkId, fuseUnk);
}

/** One id a byte; a byte without a token is unknown, or nothing where there is no unknown token. */
function byBytes(byteIds: Int32Array, unkId: number, fuseUnk: boolean): FirstIds {
  return (bytes, count, ids) => {
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
}

/**
 * One id a character. One without a token becomes the tokens of its bytes; if those are not all there it is unknown. As in
 * the reference an unknown token waits for the next known character, so bytes can come before it.
 * Source: huggingface/tokenizers, models/bpe/model.rs, merge_word.
 */
function byCharacters({ find }: TokenVocabulary, byteIds: Int32Array, unkId: number, fuseUnk: boolean): FirstIds {
  const character = new Uint8Array(4);
  return (bytes, count, ids) => {
    let kept = 0;
    let isWaiting = false; // an unknown token
    for (let at = 0; at < count;) {
      const length = characterLength(bytes[at] as number);
      for (let i = 0; i < length; i++) character[i] = bytes[at + i] as number;
      at += length;
      const id = find(character, length);
      if (id >= 0) {
        if (isWaiting) ids[kept++] = unkId;
        isWaiting = false;
        ids[kept++] = id;
        continue;
      }
      const before = kept;
      for (let i = 0; i < length && kept === before + i; i++) {
        const byteId = byteIds[character[i] as number] as number;
        if (byteId >= 0) ids[kept++] = byteId;
      }
      if (kept === before + length) continue;
      kept = before;
      if (isWaiting && !fuseUnk) ids[kept++] = unkId;
      isWaiting = unkId >= 0;
    }
    if (isWaiting) ids[kept++] = unkId;
    return kept;
  };
}
