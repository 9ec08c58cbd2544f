import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { readFlag, toIndex, toObject, toText } from '../file/json.js';
import { Replace as ReplaceText } from '../normalizers/replace.js';
import type { PartParser } from '../file/part.js';
import type { DecoderStep, Replacement, TextStartRule } from './decoder.js';

/** Most characters that a Strip takes off: published ones take 1. */
const MAX_STRIPPED = 64;

/** ByteLevel: joins the bytes of the tokens and reads them as UTF-8. */
export const ByteLevel: PartParser<DecoderStep> = () => ({ does: 'joinBytes' });

/** ByteFallback: tokens like `<0x0A>` are bytes. */
export const ByteFallback: PartParser<DecoderStep> = () => ({ does: 'readBytes', rule: 'runs' });

/** Fuse: later parts see one text and no tokens. */
export const Fuse: PartParser<DecoderStep> = () => ({ does: 'fuse' });

/** Replace: in each token. */
export const Replace: PartParser<DecoderStep> = (spec, context) => ({
  does: 'mapTokens',
  map: ReplaceText(spec, context).normalize,
  ...toReplacement(toObject(spec['pattern'], `${context.where}.pattern`)['String'], spec['content']),
});

function toReplacement(from: unknown, to: unknown): { readonly replaces: Replacement } | undefined {
  return typeof from === 'string' && from !== '' && typeof to === 'string' ? { replaces: [from, to] } : undefined;
}

/** Strip: takes a character off the beginning; off the end it is not built, since a stream would have to wait for it. */
export const Strip: PartParser<DecoderStep> = (spec, { where }) => {
  const content = toText(spec['content'], `${where}.content`);
  const count = toIndex(spec['start'] ?? 0, `${where}.start`, MAX_STRIPPED);
  if (toIndex(spec['stop'] ?? 0, `${where}.stop`, MAX_STRIPPED) > 0)
    throw unsupportedTokenizer(`${where}.stop`, 'a Strip at the end');
  if (content.length !== 1) throw tokenizerInvalid(`${where}.content`, 'is not one character');
  if (content > '\u007f') throw unsupportedTokenizer(`${where}.content`, `the character ${JSON.stringify(content)}`);
  return { does: 'stripText', start: { kind: 'strip', content, count } };
};

/** Metaspace: ▁ is a space, and nothing in the first token unless nothing was put before the text. */
export const Metaspace: PartParser<DecoderStep> = (spec, { where }) => {
  const { replacement, scheme } = toMetaspace(spec, where);
  const start: TextStartRule = scheme === 'never' ? { kind: 'none' } : { kind: 'first', replacement };
  const map = (content: string): string => content.replaceAll(replacement, ' ');
  return { does: 'mapTokens', map, replaces: [replacement, ' '], start };
};

/** SentencePiece, which a compiled tokenizer.model has: ▁ is a space. */
export const SentencePiece: PartParser<DecoderStep> = (spec, { where }) => {
  const every = readFlag(spec['remove_extra_whitespaces'], `${where}.remove_extra_whitespaces`, false);
  const strips = every || readFlag(spec['add_dummy_prefix'], `${where}.add_dummy_prefix`, false);
  const start: TextStartRule = strips ? { kind: 'sentencepiece', every } : { kind: 'none' };
  const map = (content: string): string => content.replaceAll('▁', ' ');
  return { does: 'mapTokens', map, replaces: ['▁', ' '], start };
};

/** When Metaspace puts its character before a text: always, before the first text only, never. */
export type PrependScheme = 'always' | 'first' | 'never';

const schemes: readonly PrependScheme[] = ['always', 'first', 'never'];

/** The fields that the pre-tokenizer and the decoder share; old files have `add_prefix_space` for the scheme. */
export function toMetaspace(
  spec: Readonly<Record<string, unknown>>,
  where: string,
): { readonly replacement: string; readonly scheme: PrependScheme } {
  const replacement = toText(spec['replacement'] ?? '▁', `${where}.replacement`);
  if (replacement.length !== 1) throw tokenizerInvalid(`${where}.replacement`, 'is not one character');
  const prefixed = readFlag(spec['add_prefix_space'], `${where}.add_prefix_space`, true);
  const given = spec['prepend_scheme'] ?? (prefixed ? 'always' : 'never');
  const scheme = schemes.find((each) => each === given);
  if (scheme === undefined) throw tokenizerInvalid(`${where}.prepend_scheme`, `is not one of ${schemes.join(', ')}`);
  return { replacement, scheme };
}
