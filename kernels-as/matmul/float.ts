import { oneRow, twoRows } from './floats-1-2-rows';
import { beforeOf, biasOf, factorOf, finish, outputOffset } from './epilogue';

/** ops.ts, Matmul, for float weights: a group's weights stay in the first cache while all rows pass. */
function matmulFloat<T>(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  weights: usize,
  columns: i32,
  rows: i32,
  groupStart: i32,
  groupEnd: i32,
  bias: usize,
  epilogue: i32,
): void {
  const groupBytes = <usize>columns * 8 * sizeof<T>();
  for (let group = groupStart; group < groupEnd; group++) {
    const w = weights + <usize>group * groupBytes;
    const at = out + outputOffset(group, epilogue);
    const biases = biasOf(bias, group);
    let to = at;
    let from = x;
    let left = rows;
    for (; left >= 2; left -= 2) {
      twoRows<T>(
        to,
        outStride,
        from,
        xStride,
        w,
        columns,
        biases,
        beforeOf(to, epilogue),
        factorOf(to, group, epilogue),
      );
      to += outStride << 1;
      from += xStride << 1;
    }
    if (left) oneRow<T>(to, from, w, columns, biases, beforeOf(to, epilogue), factorOf(to, group, epilogue));
    finish(at, outStride, rows, group, epilogue);
  }
}

for (const [$quant, $type] of [
  ['F32', 'f32'],
  ['F16', 'i16'],
  ['Bf16', 'u16'],
]) {
  /** x · weightsᵀ with $quant weights. */
  export function matmul$quant(
    out: usize,
    outStride: usize,
    x: usize,
    xStride: usize,
    weights: usize,
    columns: i32,
    rows: i32,
    groupStart: i32,
    groupEnd: i32,
    bias: usize,
    epilogue: i32,
  ): void {
    matmulFloat<$type>(out, outStride, x, xStride, weights, columns, rows, groupStart, groupEnd, bias, epilogue);
  }
}
