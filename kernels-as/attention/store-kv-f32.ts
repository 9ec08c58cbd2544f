import { plainBytes } from './kv-block';

/** Writes keys and values of one KV head into the cache as float32 (kernel-interface.ts, StoreKv). */
export function storeKvF32(
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
  const half = plainBytes(headDim);
  for (let row = rowStart; row < rowEnd; row++) {
    const slot = load<i32>(slots + ((<usize>row) << 2));
    const place = slot & 31;
    const head = cache + <usize>(slot >> 5) * blockBytes + <usize>kvHead * half * 2;
    const from = key + <usize>row * xStride;
    let to = head + ((<usize>((place >> 3) * headDim)) << 5) + ((<usize>(place & 7)) << 2);
    for (let i = 0; i < headDim; i++) {
      store<f32>(to, load<f32>(from + ((<usize>i) << 2)));
      to += 32;
    }
    memory.copy(head + half + ((<usize>(place * headDim)) << 2), value + <usize>row * xStride, (<usize>headDim) << 2);
  }
}
