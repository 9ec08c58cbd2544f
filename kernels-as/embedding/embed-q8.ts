import { loadHalf } from '../vector';

/** Rows of a q8 table as f32 (kernel-interface.ts, Embed). */
export function embedQ8(
  out: usize,
  outStride: usize,
  table: usize,
  columns: i32,
  tokenIds: usize,
  rowStart: i32,
  rowEnd: i32,
  scale: f32,
): void {
  const blocks = <usize>((columns + 31) >> 5);
  for (let row = rowStart; row < rowEnd; row++) {
    const token = <usize>load<i32>(tokenIds + ((<usize>row) << 2));
    const inGroup = token & 7;
    let block = table + (token >> 3) * blocks * 272;
    let to = out + <usize>row * outStride;
    for (let i: usize = 0; i < blocks; i++) {
      const factor = loadHalf(block + 256 + inGroup * 2) * scale;
      for (let column: usize = 0; column < 32; column++) {
        const q = load<i8>(block + ((column >> 2) << 5) + (inGroup << 2) + (column & 3));
        store<f32>(to + (column << 2), <f32>q * factor);
      }
      block += 272;
      to += 128;
    }
  }
}
