import { loadHalf } from '../vector';

/** One element of type T at `from`: f32; u16 stands for bf16, i16 for f16. */
function element<T>(from: usize): f32 {
  if (isFloat<T>()) return load<f32>(from);
  if (isSigned<T>()) return loadHalf(from);
  return reinterpret<f32>((<u32>load<u16>(from)) << 16);
}

for (const [$quant, $type] of [
  ['F32', 'f32'],
  ['F16', 'i16'],
  ['Bf16', 'u16'],
]) {
  /**
   * Rows of a packed $quant matrix (kernel-interface.ts, Embed). Columns are rounded up to 32: the table's padding is
   * zeros.
   */
  export function embed$quant(
    out: usize,
    outStride: usize,
    table: usize,
    columns: i32,
    tokenIds: usize,
    rowStart: i32,
    rowEnd: i32,
    scale: f32,
  ): void {
    const padded = <usize>((columns + 31) & -32);
    for (let row = rowStart; row < rowEnd; row++) {
      const token = <usize>load<i32>(tokenIds + ((<usize>row) << 2));
      let from = table + ((token >> 3) * padded * 8 + (token & 7)) * sizeof<$type>();
      const to = out + <usize>row * outStride;
      for (let column: usize = 0; column < padded; column++) {
        store<f32>(to + (column << 2), element<$type>(from) * scale);
        from += 8 * sizeof<$type>();
      }
    }
  }
}
