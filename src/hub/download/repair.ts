// A file that is whole and has another hash than it should. Only a few of its parts are wrong: which ones?
import { crc32 } from 'node:zlib';
import type { Landing } from './landing.js';
import { lengthOf } from './part-map.js';

/** Bytes of one read. */
const READ_BYTES = 1 << 20;

/**
 * Finds parts whose bytes on the disk differ from the received ones: they were overwritten, or lost in a power failure. Errors:
 * those of reading files.
 */
export async function findChangedParts(landing: Landing): Promise<number[]> {
  const changed: number[] = [];
  for (const [index, { crc }] of landing.map.parts.entries()) {
    if ((await crcOfPart(landing, index)) !== crc) changed.push(index);
  }
  return changed;
}

async function crcOfPart(landing: Landing, index: number): Promise<number> {
  const { map } = landing;
  const buffer = new Uint8Array(READ_BYTES);
  const start = index * map.partBytes;
  const end = start + lengthOf(map, index);
  let crc = 0;
  for (let at = start; at < end;) {
    const count = await landing.read(buffer.subarray(0, end - at), at);
    if (count === 0) return -1;
    crc = crc32(buffer.subarray(0, count), crc);
    at += count;
  }
  return crc;
}
