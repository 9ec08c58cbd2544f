/** out[i] = x[rowIndices[i]], `columns` floats of each. */
export function gatherRows(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  rowIndices: usize,
  columns: i32,
  count: i32,
): void {
  for (let i = 0; i < count; i++) {
    const row = <usize>load<i32>(rowIndices + ((<usize>i) << 2));
    memory.copy(out + <usize>i * outStride, x + row * xStride, (<usize>columns) << 2);
  }
}
