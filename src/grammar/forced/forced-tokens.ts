import type { GrammarVocabulary } from '../mask/index.js';
import type { WalkState } from '../run/index.js';
import type { VocabularyTrie } from '../vocabulary/index.js';

/** Tokens at the end of the forced bytes that may be taken back, since the model may want a longer one there. */
const MAX_TAKEN_BACK = 4;
/** Bytes of the text before that are encoded again: the longest words and runs of signs have fewer. */
const MAX_TAIL_BYTES = 48;

/**
 * The tokens that a model would write for `forced`, the next bytes of `state`, after a text that ends with `tail`. The
 * last of them are left to the model where a longer token could replace them (token healing). None where the token
 * boundaries before and after do not meet.
 */
export function forcedTokens(
  vocabulary: GrammarVocabulary,
  state: WalkState,
  forced: Uint8Array,
  tail: readonly Uint8Array[],
): readonly number[] {
  const whole = wholeText(forced);
  if (whole === undefined) return [];
  const ids = encodeBehind(vocabulary, whole, tail) ?? encodeBehind(vocabulary, whole, []);
  if (ids === undefined) return [];
  const end = state.advance(whole);
  if (end === undefined || end.isOver) return ids;
  const goesOn = (byte: number): boolean => end.advance(Uint8Array.of(byte)) !== undefined;
  let kept = ids.length;
  for (let count = 1; count <= Math.min(MAX_TAKEN_BACK, ids.length); count++) {
    const suffix = Buffer.concat(ids.slice(-count).map((id) => vocabulary.bytesOf(id)));
    if (longerTokens(vocabulary.trie, suffix, goesOn)) kept = ids.length - count;
  }
  return ids.slice(0, kept);
}

/** `bytes` up to the last whole character; undefined where that is nothing, or no UTF-8. */
function wholeText(bytes: Uint8Array): Uint8Array | undefined {
  // A character has at most four bytes.
  for (let cut = 0; cut < 4 && cut < bytes.length; cut++) {
    const whole = bytes.subarray(0, bytes.length - cut);
    if (textOf(whole) !== undefined) return whole;
  }
  return undefined;
}

/** The tokens of `bytes` after those of `tail`; undefined where a token spans both, or has other bytes. */
function encodeBehind(
  vocabulary: GrammarVocabulary,
  bytes: Uint8Array,
  tail: readonly Uint8Array[],
): readonly number[] | undefined {
  const before = tailBytes(tail);
  const text = textOf(Buffer.concat([before, bytes]));
  const ids = text === undefined ? undefined : vocabulary.encode(text);
  if (ids === undefined) return undefined;
  let length = 0;
  let first = 0;
  while (length < before.length && first < ids.length) length += vocabulary.bytesOf(ids[first++] ?? -1).length;
  const rest = ids.slice(first);
  const made = Buffer.concat(rest.map((id) => vocabulary.bytesOf(id)));
  const isSame = length === before.length && made.length === bytes.length && made.every((byte, i) => byte === bytes[i]);
  return isSame ? rest : undefined;
}

/** The last tokens of a text, as far as they are whole characters and not too long. */
function tailBytes(tail: readonly Uint8Array[]): Uint8Array {
  let kept: Uint8Array = new Uint8Array(0);
  for (let first = tail.length - 1; first >= 0; first--) {
    const bytes = Buffer.concat(tail.slice(first));
    if (bytes.length > MAX_TAIL_BYTES) break;
    if (textOf(bytes) !== undefined) kept = bytes;
  }
  return kept;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether there is a token that begins with `bytes` and whose next byte `goesOn`. */
function longerTokens(trie: VocabularyTrie, bytes: Uint8Array, goesOn: (byte: number) => boolean): boolean {
  const { nodeEnds, nodeBytes } = trie;
  let node: number | undefined = 0;
  for (const byte of bytes) {
    node = childOf(trie, node, byte);
    if (node === undefined) return false;
  }
  // The children of a node follow it; each ends where its next sibling begins.
  for (let child = node + 1; child < (nodeEnds[node] as number); child = nodeEnds[child] as number) {
    if (goesOn(nodeBytes[child] as number)) return true;
  }
  return false;
}

function childOf({ nodeEnds, nodeBytes }: VocabularyTrie, node: number, byte: number): number | undefined {
  for (let child = node + 1; child < (nodeEnds[node] as number); child = nodeEnds[child] as number) {
    if (nodeBytes[child] === byte) return child;
  }
  return undefined;
}
