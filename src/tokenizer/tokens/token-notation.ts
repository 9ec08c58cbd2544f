import { createSlabEncoder } from '../../base/index.js';
import { createByteAlphabet, type ByteAlphabet } from './byte-alphabet.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_TOKEN_BYTES } from '../limits.js';

/** How a vocabulary writes its tokens: bytes in GPT-2's alphabet, or text. */
export interface TokenNotation {
  /** Byte-level: the characters of tokens are bytes. */
  readonly isBytes: boolean;
  /** byte → its token. */
  readonly byteTokens: readonly string[];
  /**
   * The bytes that a token is found by. `regular`: it is found by them. Undefined above the limit of a token.
   */
  bytesOf(token: string): { readonly bytes: Uint8Array; readonly regular: boolean } | undefined;
  /** Of a byte-level vocabulary: `ByteAlphabet.readBytes`. */
  readonly readBytes?: ByteAlphabet['readBytes'];
}

/** Tokens of a byte-level vocabulary. */
export function createByteNotation(): TokenNotation {
  const { charOf, bytesOf, readBytes } = createByteAlphabet();
  return { isBytes: true, byteTokens: charOf, bytesOf, readBytes };
}

/** Tokens that are text, and `<0x0A>` for the bytes of characters without a token. */
export function createTextNotation(): TokenNotation {
  const encode = createSlabEncoder();
  return {
    isBytes: false,
    byteTokens: Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
    bytesOf(token) {
      const bytes = encode(token);
      return bytes.length > MAX_TOKEN_BYTES ? undefined : { bytes, regular: true };
    },
  };
}

/** `bytesOf` of a token that must not be too long. Errors: `tokenizer_invalid`. */
export function toTokenBytes(
  token: string,
  notation: TokenNotation,
  where: string,
): { readonly bytes: Uint8Array; readonly regular: boolean } {
  const found = notation.bytesOf(token);
  if (found === undefined) throw tokenizerInvalid(where, `a token has more than ${MAX_TOKEN_BYTES} bytes`);
  return found;
}
