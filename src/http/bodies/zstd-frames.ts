/** The magic number of a frame, little-endian; of skippable frames the low four bits are free. Source: RFC 8878, 3.1. */
const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** The most that a compressed block becomes. Source: RFC 8878, 3.1.1.2.4. */
const MAX_BLOCK_BYTES = 128 * 1024;

/**
 * An upper bound of the bytes in a body of zstd frames, by the headers of its blocks. The walk ends once they exceed
 * `limit`. `isSure`: the number is exact, since the body declares its size, or has no compressed block. Undefined:
 * these are not whole frames.
 */
export function boundZstd(
  body: Uint8Array,
  limit: number,
): { readonly bytes: number; readonly isSure: boolean } | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let bytes = 0;
  let isSure = true;
  let at = 0;
  try {
    while (at < body.length) {
      const magic = view.getUint32(at, true);
      if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
        at += 8 + view.getUint32(at + 4, true);
        continue;
      }
      if (magic !== FRAME_MAGIC) return undefined;
      const frame = readHeader(view, at);
      at = frame.end;
      let ofBlocks = 0;
      let isExact = true;
      for (let isLast = false; !isLast;) {
        const header = view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getUint8(at + 2) << 16);
        const [type, size] = [(header >> 1) & 3, header >> 3];
        isLast = (header & 1) === 1;
        // Raw, repeated (one byte stands for all) and compressed.
        at += 3 + (type === 1 ? 1 : size);
        ofBlocks += type === 2 ? MAX_BLOCK_BYTES : size;
        isExact &&= type !== 2;
        if (type === 3 || at > body.length) return undefined;
        if (frame.contentBytes === undefined && bytes + ofBlocks > limit) {
          return { bytes: bytes + ofBlocks, isSure: isSure && isExact };
        }
      }
      at += frame.hasChecksum ? 4 : 0;
      bytes += frame.contentBytes ?? ofBlocks;
      isSure &&= isExact || frame.contentBytes !== undefined;
      if (bytes > limit) return { bytes, isSure };
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return at === body.length ? { bytes, isSure } : undefined;
}

/** A frame's header. Source: RFC 8878, 3.1.1.1. */
function readHeader(
  view: DataView,
  start: number,
): { readonly end: number; readonly contentBytes: number | undefined; readonly hasChecksum: boolean } {
  const flags = view.getUint8(start + 4);
  const isSingleSegment = (flags & 0x20) !== 0;
  const sizeFlag = flags >> 6;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
  const at = start + 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const hasChecksum = (flags & 4) !== 0;
  if (sizeFlag === 0 && !isSingleSegment) return { end: at, contentBytes: undefined, hasChecksum };
  if (sizeFlag === 0) return { end: at + 1, contentBytes: view.getUint8(at), hasChecksum };
  if (sizeFlag === 1) return { end: at + 2, contentBytes: view.getUint16(at, true) + 256, hasChecksum };
  if (sizeFlag === 2) return { end: at + 4, contentBytes: view.getUint32(at, true), hasChecksum };
  return { end: at + 8, contentBytes: Number(view.getBigUint64(at, true)), hasChecksum };
}
