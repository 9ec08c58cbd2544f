import { bytesBody, type BytesBody } from '../endpoint/index.js';

/** Reads a whole body, up to the bytes that the current configuration allows. */
export function limitedBody(maxBytes: () => number): BytesBody<Uint8Array> {
  return {
    ...bytesBody,
    get maxBytes() {
      return maxBytes();
    },
  };
}
