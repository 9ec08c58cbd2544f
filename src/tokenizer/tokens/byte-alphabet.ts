import { MAX_TOKEN_BYTES } from '../limits.js';

/**
 * GPT-2's alphabet: a printable character for each byte, so that any bytes can be written as text. Printable Latin-1
 * characters are themselves, the other 68 bytes are U+0100 and on. Source: openai/gpt-2 encoder.py, bytes_to_unicode.
 */
export interface ByteAlphabet {
  /** byte → character. */
  readonly charOf: readonly string[];
  /**
   * The bytes of `token`: each character's byte, or its UTF-8 when any character is outside the alphabet (`regular` is
   * false then). Undefined above the token limit.
   */
  bytesOf(token: string): { bytes: Uint8Array; regular: boolean } | undefined;
  /**
   * The same of a token in UTF-8, `from[start, end)`: writes its bytes to `out`, from `at` on, and gives their count; -1 when any
   * character is outside the alphabet.
   */
  readBytes(from: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number;
}

/** Builds the alphabet. */
export function createByteAlphabet(): ByteAlphabet {
  const charOf: string[] = [];
  const byteOf = new Int16Array(0x144).fill(-1);
  let extra = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    const code = printable ? byte : extra++;
    charOf.push(String.fromCharCode(code));
    byteOf[code] = byte;
  }
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(MAX_TOKEN_BYTES);
  return {
    charOf,
    bytesOf(token) {
      if (token.length > MAX_TOKEN_BYTES) return undefined;
      for (let i = 0; i < token.length; i++) {
        const byte = byteOf[token.charCodeAt(i)] ?? -1;
        if (byte < 0) {
          const bytes = encoder.encode(token);
          return bytes.length > MAX_TOKEN_BYTES ? undefined : { bytes, regular: false };
        }
        scratch[i] = byte;
      }
      return { bytes: scratch.slice(0, token.length), regular: true };
    },
    readBytes(from, start, end, out, at) {
      let to = at;
      for (let i = start; i < end; i++) {
        const first = from[i] as number;
        // The alphabet ends below U+0144: its characters have one or two bytes.
        const code = first < 0x80 ? first : first < 0xe0 ? ((first & 31) << 6) | ((from[++i] as number) & 63) : 0x144;
        const byte = byteOf[code] ?? -1;
        if (byte < 0) return -1;
        out[to++] = byte;
      }
      return to - at;
    },
  };
}
