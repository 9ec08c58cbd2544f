import { quantizedBytes, scaleBytes } from './kv-block';
import { blockScale, divisor, packBytes, quantize } from '../rows/quantize';

/** What turns four int8 into the bytes of the same numbers + 128. */
const LIFT: i32 = 0x80808080;

/** Quantises one head of keys at `x`; four dims go to `to` and each 128 bytes on, the scales to `scales` likewise. */
function storeKey(x: usize, headDim: i32, to: usize, scales: usize): void {
  for (let dim = 0; dim < headDim; dim += 32) {
    const count = min(32, headDim - dim);
    const scale = blockScale(x, count);
    store<f32>(scales, scale);
    const by = divisor(scale);
    for (let i = 0; i < count; i += 4) {
      store<i32>(to, packBytes(quantize(v128.load(x), by)) ^ LIFT);
      x += 16;
      to += 128;
    }
    scales += 128;
  }
}

/** Quantises one head of values at `x`; the dims go to `to` and each second byte on, the scales as those of keys. */
function storeValue(x: usize, headDim: i32, to: usize, scales: usize): void {
  for (let dim = 0; dim < headDim; dim += 32) {
    const count = min(32, headDim - dim);
    const scale = blockScale(x, count);
    store<f32>(scales, scale);
    const by = divisor(scale);
    for (let i = 0; i < count; i += 4) {
      const bytes = packBytes(quantize(v128.load(x), by));
      store<u8>(to, <u8>bytes);
      store<u8>(to, <u8>(bytes >> 8), 2);
      store<u8>(to, <u8>(bytes >> 16), 4);
      store<u8>(to, <u8>(bytes >> 24), 6);
      x += 16;
      to += 8;
    }
    scales += 128;
  }
}

/** Writes keys and values of one KV head into the cache as int8 with scales (kernel-interface.ts, StoreKv). */
export function storeKvQ8(
  cache: usize,
  blockBytes: usize,
  kvHead: i32,
  headDim: i32,
  key: usize,
  value: usize,
  xStride: usize,
  slots: usize,
  rowStart: i32,
  rowEnd: i32,
): void {
  const bytes = quantizedBytes(headDim);
  const half = bytes + scaleBytes(headDim);
  for (let row = rowStart; row < rowEnd; row++) {
    const slot = load<i32>(slots + ((<usize>row) << 2));
    const place = slot & 31;
    const keys = cache + <usize>(slot >> 5) * blockBytes + <usize>kvHead * half * 2;
    const values = keys + half;
    const scale = (<usize>place) << 2;
    const at = <usize>((place & 15) * headDim * 2 + (place >> 4));
    storeKey(key + <usize>row * xStride, headDim, keys + scale, keys + bytes + scale);
    storeValue(value + <usize>row * xStride, headDim, values + at, values + bytes + scale);
  }
}
