import { boundZstd } from './zstd-frames.js';

/** The result of a body: its bytes, or why there are none. */
export type Inflated = Uint8Array | 'too large' | 'invalid';

/**
 * Decompresses zstd frames in WebAssembly, for a Node without zstd of its own. What comes out has memory for `maxBytes` and
 * no more: the frames' headers say beforehand how much they need. Blocks the thread.
 */
export async function inflateZstd(body: Uint8Array, maxBytes: number): Promise<Inflated> {
  const bound = boundZstd(body, maxBytes);
  if (bound === undefined) return 'invalid';
  const isLarge = bound.bytes > maxBytes;
  if (isLarge && bound.isSure) return 'too large';
  if (bound.bytes === 0) return new Uint8Array(0);
  // Loaded with the first such body.
  const { ZSTDDecoder } = await import('zstddec');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  const inflated = decoder.decode(body, Math.min(bound.bytes, maxBytes));
  // The decoder gives nothing where libzstd refuses the frames, and where they do not fit.
  if (inflated.length > 0) return inflated;
  return isLarge ? 'too large' : 'invalid';
}
