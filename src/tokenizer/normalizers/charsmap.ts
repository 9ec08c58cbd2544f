import { tokenizerInvalid } from '../errors.js';
import { MAX_CHARSMAP_BYTES, MAX_REPLACEMENT_BYTES } from '../limits.js';

/**
 * A table of replacements in sentencepiece's compiled form: the size of a trie in bytes, the trie, and the
 * replacements, each with a zero byte after it. The trie is a double array of 32-bit units in little-endian order.
 * Source: google/sentencepiece, normalizer.cc, DecodePrecompiledCharsMap; s-yata/darts-clone, darts.h.
 */
export interface Charsmap {
  /**
   * The replacement for a beginning of `bytes[start, end)`, the longest one that has any, or the shortest. Undefined: none.
   */
  find(bytes: Uint8Array, start: number, end: number, which: 'longest' | 'shortest'): Replacement | undefined;
}

/** The replacement of `length` bytes. */
export interface Replacement {
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** A unit under which a value stands; a unit that is a value. */
const HAS_LEAF = 0x100;
const IS_VALUE = 0x8000_0000;

/** Reads a table. Errors: `tokenizer_invalid`. `where`: its place, for errors. */
export function readCharsmap(table: Uint8Array, where: string): Charsmap {
  if (table.length > MAX_CHARSMAP_BYTES) throw tokenizerInvalid(where, `has more than ${MAX_CHARSMAP_BYTES} bytes`);
  if (table.length < 4) throw tokenizerInvalid(where, 'is cut short');
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const trieBytes = view.getUint32(0, true);
  if (trieBytes % 4 !== 0 || trieBytes === 0 || 4 + trieBytes > table.length)
    throw tokenizerInvalid(where, 'its trie is cut short');
  const units = Uint32Array.from({ length: trieBytes / 4 }, (_, i) => view.getUint32(4 + 4 * i, true));
  const texts = table.subarray(4 + trieBytes);
  const textAt = (start: number): Uint8Array | undefined => {
    const end = start < texts.length ? texts.indexOf(0, start) : -1;
    return end < 0 || end - start > MAX_REPLACEMENT_BYTES ? undefined : texts.subarray(start, end);
  };
  for (const [at, unit] of units.entries()) {
    if ((unit & HAS_LEAF) === 0 || unit >= IS_VALUE) continue;
    const leaf = units[at ^ offsetOf(unit)] ?? 0;
    if (leaf < IS_VALUE || textAt(leaf - IS_VALUE) === undefined)
      throw tokenizerInvalid(where, 'a replacement is outside the file, has no end, or is too long');
  }

  const find: Charsmap['find'] = (bytes, start, end, which) => {
    let found: Replacement | undefined;
    let at = offsetOf(units[0] as number);
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      at ^= byte;
      const unit = units[at];
      if (unit === undefined || byte === 0 || labelOf(unit) !== byte) break;
      at ^= offsetOf(unit);
      const leaf = units[at] ?? 0;
      if ((unit & HAS_LEAF) === 0 || leaf < IS_VALUE) continue;
      const text = textAt(leaf - IS_VALUE);
      if (text !== undefined) found = { length: i + 1 - start, bytes: text };
      if (which === 'shortest') break;
    }
    return found;
  };
  return { find };
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

/** A unit that holds a value has its highest bit set, and so the label of no byte. */
function labelOf(unit: number): number {
  return (unit & 0x8000_00ff) >>> 0;
}
