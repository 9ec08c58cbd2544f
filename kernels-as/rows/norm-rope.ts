import { inverseRms, scaleBy } from './rms-norm';

/** Rotates the pairs (x[i], x[i + half]) by the angles whose cosines and sines are at `table`. */
function rotate(x: usize, half: i32, table: usize): void {
  const far = x + ((<usize>half) << 2);
  const sines = table + ((<usize>half) << 2);
  let i = 0;
  for (; i + 4 <= half; i += 4) {
    const at = (<usize>i) << 2;
    const a = v128.load(x + at);
    const b = v128.load(far + at);
    const cos = v128.load(table + at);
    const sin = v128.load(sines + at);
    v128.store(x + at, f32x4.sub(f32x4.mul(a, cos), f32x4.mul(b, sin)));
    v128.store(far + at, f32x4.add(f32x4.mul(b, cos), f32x4.mul(a, sin)));
  }
  for (; i < half; i++) {
    const at = (<usize>i) << 2;
    const a = load<f32>(x + at);
    const b = load<f32>(far + at);
    const cos = load<f32>(table + at);
    const sin = load<f32>(sines + at);
    store<f32>(x + at, a * cos - b * sin);
    store<f32>(far + at, b * cos + a * sin);
  }
}

/** RMS norm of each head (unless `normWeight` is 0), then rotary embedding by halves, in place. */
export function normRope(
  x: usize,
  xStride: usize,
  numHeads: i32,
  headDim: i32,
  rotaryDim: i32,
  table: usize,
  tableStride: usize,
  normWeight: usize,
  eps: f32,
  rowStart: i32,
  rowEnd: i32,
): void {
  for (let row = rowStart; row < rowEnd; row++) {
    const angles = table + <usize>row * tableStride;
    for (let head = 0; head < numHeads; head++) {
      const at = x + <usize>row * xStride + ((<usize>(head * headDim)) << 2);
      if (normWeight) scaleBy(at, at, normWeight, headDim, inverseRms(at, headDim, eps));
      rotate(at, rotaryDim >> 1, angles);
    }
  }
}
