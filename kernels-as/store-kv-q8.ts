import { quantizedBytes, scaleBytes } from './kv-block';
import { blockScale, divisor, packBytes, quantize } from './quantize';

/** What turns four int8 into the bytes of the same numbers + 128. */
const LIFT: i32 = 0x80808080;

/** Quantises one head at `x`; four dims ^ `flip` go to `to` + each `step`, the scales to `scales` + each 128 bytes. */
function storeHead(x: usize, headDim: i32, to: usize, step: usize, scales: usize, flip: i32): void {
  for (let dim = 0; dim < headDim; dim += 32) {
    const count = min(32, headDim - dim);
    const scale = blockScale(x, count);
    store<f32>(scales, scale);
    const by = divisor(scale);
    for (let i = 0; i < count; i += 4) {
      store<i32>(to, packBytes(quantize(v128.load(x), by)) ^ flip);
      x += 16;
      to += step;
    }
    scales += 128;
  }
}

/** Writes keys and values of one KV head into the cache as int8 with scales (ops.ts, StoreKv). */
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
    const at = <usize>(place * headDim);
    storeHead(key + <usize>row * xStride, headDim, keys + scale, 128, keys + bytes + scale, LIFT);
    storeHead(value + <usize>row * xStride, headDim, values + at, 4, values + bytes + scale, 0);
  }
}
