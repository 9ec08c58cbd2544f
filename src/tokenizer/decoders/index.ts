import { unsupportedTokenizer } from '../errors.js';
import { parsePart, parseParts, type PartContext, type PartParser } from '../file/part.js';
import type { CategoryLookup } from '../unicode/code-points.js';
import type { ByteRule, Decoder, DecoderStep, TextStartRule } from './decoder.js';
import { ByteFallback, ByteLevel, Fuse, Metaspace, Replace, SentencePiece, Strip } from './parts.js';

export type { Decoder } from './decoder.js';
export { joinTokens } from './join.js';
export { readDecoding, toDecoderSettings, type Decoding } from './decoding.js';

/** `<0x0A>`, and how it begins. */
const BYTE_TOKEN_LENGTH = 6;
const LESS_THAN = 0x3c;

/** Sequence: one decoder after the other. */
const Sequence: PartParser<readonly DecoderStep[]> = (spec, context) =>
  parseParts(decoders, spec, 'decoders', context).flat();

const alone =
  (parse: PartParser<DecoderStep>): PartParser<readonly DecoderStep[]> =>
  (spec, context) => [parse(spec, context)];

/** The decoders by their `type` in tokenizer.json. */
export const decoders: Readonly<Record<string, PartParser<readonly DecoderStep[]>>> = {
  ByteLevel: alone(ByteLevel),
  ByteFallback: alone(ByteFallback),
  Fuse: alone(Fuse),
  Replace: alone(Replace),
  Strip: alone(Strip),
  Metaspace: alone(Metaspace),
  SentencePiece: alone(SentencePiece),
  Sequence,
};

/** Reads `decoder` of tokenizer.json. Errors: `unsupported_tokenizer` for a chain that none of the published ones has. */
export function parseDecoder(spec: unknown, categoryOf: CategoryLookup): Decoder {
  if (spec === null || spec === undefined) throw unsupportedTokenizer('decoder', 'a tokenizer without a decoder');
  const context: PartContext = { categoryOf, where: 'decoder', depth: 0 };
  return toDecoder(parsePart(decoders, spec, context));
}

/** Puts a chain together: maps of single tokens, bytes, the beginning of the text; in this order. */
function toDecoder(parts: readonly DecoderStep[]): Decoder {
  const maps: Extract<DecoderStep, { does: 'mapTokens' }>[] = [];
  let bytes: ByteRule | undefined;
  let start: TextStartRule = { kind: 'none' };
  let fused = false;
  for (const part of parts) {
    if (bytes === 'joined') throw unsupportedTokenizer('decoder', 'a decoder after ByteLevel');
    if (part.does === 'joinBytes') {
      if (parts.length > 1) throw unsupportedTokenizer('decoder', 'ByteLevel in a chain');
      bytes = 'joined';
    } else if (part.does === 'fuse') fused = true;
    else if (part.does === 'stripText') {
      if (!fused) throw unsupportedTokenizer('decoder', 'a Strip of each token, without Fuse before it');
      if (start.kind !== 'none') throw unsupportedTokenizer('decoder', 'a Strip after Metaspace or another Strip');
      start = part.start;
    } else {
      if (fused) throw unsupportedTokenizer('decoder', 'a change of tokens after Fuse');
      if (part.does === 'readBytes') bytes = part.rule;
      else {
        if (part.start?.kind === 'first' && maps.length > 0)
          throw unsupportedTokenizer('decoder', 'Metaspace after Replace');
        if (part.start !== undefined) start = part.start;
        maps.push(part);
      }
    }
  }
  const readsBytes = bytes === 'runs';
  const [only] = maps;
  return {
    bytes: bytes ?? 'bytes',
    start,
    readsBytes,
    byteOf: (content) => (readsBytes ? byteOf(content) : -1),
    textOf: (content) => maps.reduce((text, { map }) => map(text), content),
    replaces: maps.length === 1 ? only?.replaces : undefined,
  };
}

/** The same of a token in UTF-8, `bytes[start, end)`. */
export function byteIn(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== BYTE_TOKEN_LENGTH || bytes[start] !== LESS_THAN) return -1;
  return byteOf(String.fromCharCode(...bytes.subarray(start, end)));
}

/** The byte of a token such as `<0x0A>`, or -1. */
export function byteOf(content: string): number {
  return /^<0x[\dA-Fa-f]{2}>$/.test(content) ? Number.parseInt(content.slice(3, 5), 16) : -1;
}
