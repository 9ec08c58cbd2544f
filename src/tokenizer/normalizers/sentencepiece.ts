import { readBase64, readFlag, toList, toText } from '../file/json.js';
import { MAX_ADDED_TOKENS } from '../limits.js';
import type { PartParser } from '../file/part.js';
import { characterLength } from '../text/units.js';
import { readCharsmap, type Charsmap } from './charsmap.js';
import type { Normalizer } from './normalizer.js';

const SPACE = 0x20;

interface Rules {
  readonly charsmap: Charsmap | undefined;
  /** The length of the token that begins at a place and that no rule touches, or 0. */
  readonly keptAt: (bytes: Uint8Array, at: number) => number;
  readonly prefix: boolean;
  readonly trims: boolean;
}

/**
 * SentencePiece, which a compiled tokenizer.model has. It replaces the longest prefixes that its table has, turns
 * spaces into ▁, and puts one in front (`add_dummy_prefix`). It drops those at the ends and all but one of a row
 * (`remove_extra_whitespaces`). `user_defined`: tokens that stay as they are.
 * Source: google/sentencepiece, normalizer.cc, Normalizer::Normalize.
 */
export const SentencePiece: PartParser<Normalizer> = (spec, { where }) => {
  const place = `${where}.precompiled_charsmap`;
  const table = readBase64(toText(spec['precompiled_charsmap'] ?? '', place), place);
  const userDefined = toList(spec['user_defined'] ?? [], `${where}.user_defined`, MAX_ADDED_TOKENS);
  const rules: Rules = {
    charsmap: table.length === 0 ? undefined : readCharsmap(table, place),
    keptAt: createKeeper(userDefined.map((each) => toText(each, `${where}.user_defined`))),
    prefix: readFlag(spec['add_dummy_prefix'], `${where}.add_dummy_prefix`, true),
    trims: readFlag(spec['remove_extra_whitespaces'], `${where}.remove_extra_whitespaces`, true),
  };
  const isPlain = rules.charsmap === undefined && !rules.trims;
  const normalize = (text: string): string => {
    if (text === '') return '';
    const spaced = isPlain ? text : rewrite(text, rules);
    if (spaced === undefined) return '';
    const marked = (rules.prefix ? '▁' : '') + spaced.replaceAll(' ', '▁');
    let end = marked.length;
    while (rules.trims && marked[end - 1] === '▁') end--;
    return marked.slice(0, end);
  };
  return { normalize, stableBelow: 0, keepsTokens: true };
};

/** The text with its replacements and without its extra spaces, but for those at its end; undefined when nothing but spaces was in it. */
function rewrite(text: string, { charsmap, keptAt, trims }: Rules): string | undefined {
  const bytes = new TextEncoder().encode(text);
  let out = new Uint8Array(bytes.length + 64);
  let count = 0;
  let afterSpace = trims;
  let begun = !trims;
  for (let at = 0; at < bytes.length;) {
    const kept = keptAt(bytes, at);
    const found = kept > 0 ? undefined : charsmap?.find(bytes, at, bytes.length, 'longest');
    const length = found?.length ?? (kept > 0 ? kept : characterLength(bytes[at] as number));
    const part = found?.bytes ?? bytes.subarray(at, at + length);
    at += length;
    if (!begun && part.length === 1 && part[0] === SPACE) continue;
    begun = true;
    let from = 0;
    while (afterSpace && part[from] === SPACE) from++;
    if (count + part.length > out.length) {
      const grown = new Uint8Array(2 * (count + part.length));
      grown.set(out.subarray(0, count));
      out = grown;
    }
    out.set(part.subarray(from), count);
    count += part.length - from;
    if (part.length > from) afterSpace = trims && part.at(-1) === SPACE;
  }
  if (!begun) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(out.subarray(0, count));
}

interface KeeperNode {
  readonly next: Map<number, KeeperNode>;
  length: number;
}

/** Finds the longest of `tokens` at a place. */
function createKeeper(tokens: readonly string[]): Rules['keptAt'] {
  const root: KeeperNode = { next: new Map(), length: 0 };
  for (const token of tokens) {
    const bytes = new TextEncoder().encode(token);
    let node = root;
    for (const byte of bytes) {
      let next = node.next.get(byte);
      if (next === undefined) node.next.set(byte, (next = { next: new Map(), length: 0 }));
      node = next;
    }
    node.length = bytes.length;
  }
  return (bytes, at) => {
    let length = 0;
    let node: KeeperNode | undefined = root;
    for (let i = at; i < bytes.length && node !== undefined; i++) {
      node = node.next.get(bytes[i] as number);
      if (node !== undefined && node.length > 0) length = node.length;
    }
    return length;
  };
}
