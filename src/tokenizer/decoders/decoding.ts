import { tokenizerInvalid } from '../errors.js';
import { toIndex, toList, toObject, toText } from '../file/json.js';
import { MAX_VOCAB_SIZE } from '../limits.js';
import type { TokenVocabulary } from '../tokens/vocabulary.js';
import type { ByteRule, Decoder, DecoderSettings, TextStartRule } from './decoder.js';
import { createTextStart, type TextStart } from './text-start.js';

/** How ids become text. */
export interface Decoding {
  readonly bytes: ByteRule;
  readonly start: TextStartRule;
  /** By id: 1 for a token that is one byte. Empty where all tokens are bytes, or none. */
  readonly isByte: Uint8Array;
  /** The beginning of a text. */
  begin(): TextStart;
}

/** The settings of a decoder in tokenizer.bin. */
export function toDecoderSettings({ bytes, start }: Decoder, byteTokens: readonly number[]): DecoderSettings {
  return { bytes, start, byteTokens };
}

const byteRules: readonly ByteRule[] = ['joined', 'runs', 'bytes'];

/**
 * Reads what `toDecoderSettings` wrote; files of version 1 have none and are byte-level. `silent`: tokens that leave a text
 * at its beginning, whatever they decode to. Errors: `tokenizer_invalid`.
 */
export function readDecoding(settings: unknown, vocabulary: TokenVocabulary, silent: ReadonlySet<number>): Decoding {
  const begin = (start: TextStartRule) => (): TextStart => createTextStart(start, vocabulary, silent);
  if (settings === undefined) {
    const none: TextStartRule = { kind: 'none' };
    return { bytes: 'joined', start: none, isByte: new Uint8Array(0), begin: begin(none) };
  }
  const where = 'settings.decoder';
  const spec = toObject(settings, where);
  const bytes = byteRules.find((each) => each === spec['bytes']);
  if (bytes === undefined) throw tokenizerInvalid(`${where}.bytes`, 'is no known rule');
  const start = readStart(spec['start'], `${where}.start`);
  const byteTokens = toList(spec['byteTokens'], `${where}.byteTokens`, MAX_VOCAB_SIZE);
  const isByte = new Uint8Array(byteTokens.length === 0 ? 0 : vocabulary.size);
  for (const each of byteTokens) {
    const id = toIndex(each, `${where}.byteTokens`, vocabulary.size);
    const length = (vocabulary.offsets[id + 1] as number) - (vocabulary.offsets[id] as number);
    if (length !== 1) throw tokenizerInvalid(`${where}.byteTokens`, `the token ${id} has ${length} bytes`);
    isByte[id] = 1;
  }
  return { bytes, start, isByte, begin: begin(start) };
}

function readStart(value: unknown, where: string): TextStartRule {
  const spec = toObject(value, where);
  if (spec['kind'] === 'none') return { kind: 'none' };
  if (spec['kind'] === 'sentencepiece') return { kind: 'sentencepiece', every: spec['every'] === true };
  if (spec['kind'] === 'first')
    return { kind: 'first', replacement: toText(spec['replacement'], `${where}.replacement`) };
  if (spec['kind'] !== 'strip') throw tokenizerInvalid(`${where}.kind`, 'is no known rule');
  return {
    kind: 'strip',
    content: toText(spec['content'], `${where}.content`),
    count: toIndex(spec['count'], `${where}.count`, MAX_VOCAB_SIZE),
  };
}
