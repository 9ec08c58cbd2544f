import * as zlib from 'node:zlib';
import type { Transform } from 'node:stream';

/** Bytes that a decoder may make of one answer, against bombs; a real answer of text has a few MiB. */
const MAX_DECODED_BYTES = 256 * 1024 * 1024;

/** Undoes a content-encoding beside the bytes that pass. */
export interface ContentDecoder {
  /** Takes a piece. A promise: the next may only come when it has resolved. */
  write(piece: Uint8Array): Promise<void> | undefined;
  /** Resolves when all that came is read, whole or not. */
  end(): Promise<void>;
  /** Frees the decoder. */
  destroy(): void;
}

/** A decoder that passes its output to `take`; undefined: the encoding is unknown. A broken body ends it without an error. */
export function createDecoder(encoding: string, take: (piece: Uint8Array) => void): ContentDecoder | undefined {
  const stream = makers().get(encoding)?.();
  if (stream === undefined) return undefined;
  let size = 0;
  let isOver = false;
  let tellOver = (): void => {};
  const over = new Promise<void>((resolve) => (tellOver = resolve));
  const finish = (): void => {
    isOver = true;
    tellOver();
    stream.destroy();
  };
  stream.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > MAX_DECODED_BYTES) finish();
    else take(piece);
  });
  stream.on('end', finish);
  stream.on('error', finish);
  return {
    write: (piece) => {
      if (isOver || stream.write(piece)) return undefined;
      return Promise.race([over, new Promise<void>((resolve) => stream.once('drain', () => resolve()))]);
    },
    end: () => {
      if (!isOver) stream.end();
      return over;
    },
    destroy: finish,
  };
}

/** How each content-encoding is undone; Node has zstd from 22.15 on. */
function makers(): ReadonlyMap<string, () => Transform> {
  // Read the received part of a body that breaks off.
  const whatIsThere = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const gunzip = (): Transform => zlib.createGunzip(whatIsThere);
  const zstd: unknown = Reflect.get(zlib, 'createZstdDecompress');
  return new Map<string, () => Transform>([
    ['gzip', gunzip],
    ['x-gzip', gunzip],
    ['deflate', () => zlib.createInflate(whatIsThere)],
    ['br', () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH })],
    ...(typeof zstd === 'function' ? [['zstd', zstd as () => Transform] as const] : []),
  ]);
}
