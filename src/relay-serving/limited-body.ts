import { bytesBody, type BytesBody } from '../endpoint/index.js';

/** A whole body of as many bytes as a configuration says now. */
export function limitedBody(maxBytes: () => number): BytesBody<Uint8Array> {
  return {
    ...bytesBody,
    get maxBytes() {
      return maxBytes();
    },
  };
}
