// What a hub of models has: repositories with commits, and files by their content.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Bytes of a file, wherever they are. */
export interface Content {
  readonly sizeBytes: number;
  /** Of all bytes, in hexadecimal. */
  readonly sha256: string;
  /** As git names a blob. */
  readonly oid: string;
  read(start: number, end: number): Uint8Array;
}

/** A repository as a test writes it down. */
export interface Repository {
  /** `org/name`. */
  readonly id: string;
  /** By path; the newest commit. Replacing the map is another commit. */
  files: ReadonlyMap<string, Content>;
  /** Files at least so large are kept as LFS does: behind a redirect, named by their SHA-256. */
  readonly lfsFromBytes?: number;
  readonly license?: string;
  /** Whether its files ask for an access that the token must have been given. */
  gated?: boolean;
  /** Whether it is not told of to those without the token. */
  isPrivate?: boolean;
  /** Where it was moved to. */
  movedTo?: string;
}

/** Bytes in memory. */
export function contentOf(bytes: Uint8Array | string): Content {
  const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return {
    sizeBytes: data.length,
    sha256: createHash('sha256').update(data).digest('hex'),
    oid: createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex'),
    read: (start, end) => data.subarray(start, end),
  };
}

/** A file on the disk, whose hash is known. */
export function contentOfFile(path: string, sha256: string): Content {
  const { size } = statSync(path);
  const file = openSync(path, 'r');
  process.once('exit', () => closeSync(file));
  return {
    sizeBytes: size,
    sha256,
    oid: createHash('sha1').update(sha256).digest('hex'),
    read(start, end) {
      const bytes = Buffer.allocUnsafe(end - start);
      readSync(file, bytes, 0, bytes.length, start);
      return bytes;
    },
  };
}

/** The commit that a repository is at: it follows from its files. */
export function commitOf(repository: Repository): string {
  const sum = createHash('sha1').update(repository.id);
  for (const [path, { oid }] of repository.files) sum.update(`\0${path}\0${oid}`);
  return sum.digest('hex');
}

/** Whether LFS keeps a file. */
export function isLfs({ lfsFromBytes = 1 << 20 }: Repository, path: string, { sizeBytes }: Content): boolean {
  return /\.(?:gguf|safetensors|bin)$/.test(path) || sizeBytes >= lfsFromBytes;
}
