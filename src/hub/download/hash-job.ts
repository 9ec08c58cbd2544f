import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

/** A file to hash while it grows. Survives structured cloning. */
export interface HashJob {
  readonly path: string;
  readonly sizeBytes: number;
  readonly kind: 'sha256' | 'git-blob';
  /** Shared [2]: bytes from the beginning that are there; and not 0 when the work shall end. */
  readonly state: BigInt64Array;
}

/** Bytes of one read: some milliseconds of hashing. */
const READ_BYTES = 2 * 1024 * 1024;
/** Longest sleep, which limits the harm of a lost wake-up. */
const SLEEP_MS = 500;

/** The hash in hexadecimal; null if it was stopped. Blocks its thread while it waits. Errors: those of the system. */
export function hashFile({ path, sizeBytes, kind, state }: HashJob): string | null {
  const sum = createHash(kind === 'sha256' ? 'sha256' : 'sha1');
  // Source: git, Documentation/gitformat-loose: an object's name covers its type and size.
  if (kind === 'git-blob') sum.update(`blob ${sizeBytes}\0`);
  const file = openSync(path, 'r');
  try {
    const buffer = new Uint8Array(Math.min(READ_BYTES, Math.max(1, sizeBytes)));
    for (let done = 0; done < sizeBytes;) {
      if (Atomics.load(state, 1) !== 0n) return null;
      const known = Atomics.load(state, 0);
      if (known <= BigInt(done)) {
        Atomics.wait(state, 0, known, SLEEP_MS);
        continue;
      }
      const count = readSync(file, buffer, 0, Math.min(buffer.length, Number(known) - done), done);
      if (count === 0) return null;
      sum.update(buffer.subarray(0, count));
      done += count;
    }
    return sum.digest('hex');
  } finally {
    closeSync(file);
  }
}
