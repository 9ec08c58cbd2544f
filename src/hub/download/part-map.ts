// The received parts of a file, stored beside it as JSON so another process can resume. It is no proof: the bytes are
// hashed again.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { parseStrictJson, partialPath } from '../../base/index.js';
import { Compile, Type } from '../../schema/index.js';

/** The state of one part. */
export interface PartState {
  /** Bytes from its beginning that are there. */
  have: number;
  /** CRC-32 of the received bytes: detects a part that changed on the disk, or on another try. */
  crc: number;
}

/** A file that is being downloaded. */
export interface PartMap {
  /** The expected hash of its content, in hexadecimal. */
  readonly hash: string;
  readonly sizeBytes: number;
  /** Of every part but the last. */
  readonly partBytes: number;
  /** The storage's name of the version of the parts; null while it is unknown, or not a strong tag. */
  etag: string | null;
  readonly parts: PartState[];
}

const MiB = 1024 * 1024;
/** A connection that breaks costs less than this, and an answer has a head of its own. */
const SMALLEST_PART = 16 * MiB;
const LARGEST_PART = 64 * MiB;
/** Smaller files have smaller parts, so several connections share them. */
const SMALL_FILE = 64 * MiB;
/** Parts that a large file is cut into, if they may be so large. */
const PARTS = 64;
/** Most parts: of a file of 1 TiB. */
const MAX_PARTS = 16_384;

const counts = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const stored = Compile(
  Type.Object({
    version: Type.Literal(1),
    hash: Type.String(),
    sizeBytes: counts,
    partBytes: Type.Integer({ minimum: 1, maximum: LARGEST_PART }),
    etag: Type.Union([Type.String({ maxLength: 1024 }), Type.Null()]),
    parts: Type.Array(Type.Tuple([counts, counts]), { maxItems: MAX_PARTS }),
  }),
);

/** Bytes of the parts of a file: 16 to 64 MiB, and for files below 64 MiB a quarter of them, in whole MiB. */
export function partBytesOf(sizeBytes: number): number {
  if (sizeBytes < SMALL_FILE) return Math.max(MiB, Math.ceil(sizeBytes / 4 / MiB) * MiB);
  return Math.min(LARGEST_PART, Math.max(SMALLEST_PART, Math.ceil(sizeBytes / PARTS / MiB) * MiB));
}

/** The map of a file of which nothing is there. */
export function emptyPartMap(hash: string, sizeBytes: number, partBytes = partBytesOf(sizeBytes)): PartMap {
  const count = Math.ceil(sizeBytes / partBytes);
  return { hash, sizeBytes, partBytes, etag: null, parts: Array.from({ length: count }, () => ({ have: 0, crc: 0 })) };
}

/** Bytes of part `index`. */
export function lengthOf({ sizeBytes, partBytes }: PartMap, index: number): number {
  return Math.min(partBytes, sizeBytes - index * partBytes);
}

/** The map at `path`, if it belongs to this content; undefined if there is no usable one. */
export async function readPartMap(path: string, hash: string, sizeBytes: number): Promise<PartMap | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  const value = bytes === undefined ? undefined : parse(bytes);
  if (!stored.Check(value) || value.hash !== hash || value.sizeBytes !== sizeBytes) return undefined;
  const map = { ...value, parts: value.parts.map(([have, crc]) => ({ have, crc })) };
  const isWhole = map.parts.length === Math.ceil(sizeBytes / map.partBytes);
  return isWhole && map.parts.every(({ have }, index) => have <= lengthOf(map, index)) ? map : undefined;
}

/**
 * Writes the map whole. It is not made durable: after a loss of power the hash detects the damage. Errors: those of the
 * system.
 */
export async function writePartMap(path: string, { hash, sizeBytes, partBytes, etag, parts }: PartMap): Promise<void> {
  const text = JSON.stringify({
    version: 1,
    hash,
    sizeBytes,
    partBytes,
    etag,
    parts: parts.map(({ have, crc }) => [have, crc]),
  });
  const partial = partialPath(path);
  try {
    await writeFile(partial, text);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes, { maxDepth: 4, maxItems: 100_000 }, (why) => new Error(why));
  } catch {
    return undefined;
  }
}
