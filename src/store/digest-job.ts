import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../base/index.js';

/** Bytes of one read: some milliseconds of hashing. */
const READ_BYTES = 4 * 1024 * 1024;

/** Files to hash one behind the other. Survives structured cloning. */
export interface DigestJob {
  readonly paths: readonly string[];
  /** f64 [2] in shared memory: bytes done so far, and not 0 when all shall stop. */
  readonly state: Float64Array;
}

/** The digest in hex; or the file that cannot be read, with the system's code, which its error would lose between threads. */
export type DigestResult = { readonly digest: string } | { readonly path: string; readonly errorCode: string };

/** Hashes for some milliseconds between two `yield`s. Null: it was stopped. */
export function* runDigestJob({ paths, state }: DigestJob): Generator<void, DigestResult | null> {
  const sum = createHash('sha256');
  const buffer = new Uint8Array(READ_BYTES);
  for (const path of paths) {
    try {
      for (const piece of readPieces(path, buffer)) {
        if (state[1] !== 0) return null;
        sum.update(piece);
        state[0] = (state[0] as number) + piece.length;
        yield;
      }
    } catch (error) {
      const errorCode = codeOf(error);
      if (errorCode === undefined) throw error;
      return { path, errorCode };
    }
  }
  return { digest: sum.digest('hex') };
}

function* readPieces(path: string, buffer: Uint8Array): Generator<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer)) yield buffer.subarray(0, count);
  } finally {
    closeSync(file);
  }
}
