import { multiplyAdd, sumLanes } from '../vector';

/** 1 / sqrt(mean(x²) + eps) over `count` floats. Four partial sums, so that additions need not wait for each other. */
export function inverseRms(x: usize, count: i32, eps: f32): f32 {
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let c = f32x4.splat(0);
  let d = f32x4.splat(0);
  let i = 0;
  for (; i + 16 <= count; i += 16) {
    const at = x + ((<usize>i) << 2);
    const v0 = v128.load(at);
    const v1 = v128.load(at, 16);
    const v2 = v128.load(at, 32);
    const v3 = v128.load(at, 48);
    a = multiplyAdd(v0, v0, a);
    b = multiplyAdd(v1, v1, b);
    c = multiplyAdd(v2, v2, c);
    d = multiplyAdd(v3, v3, d);
  }
  let sum = sumLanes(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)));
  for (; i < count; i++) {
    const v = load<f32>(x + ((<usize>i) << 2));
    sum += v * v;
  }
  return 1 / sqrt<f32>(sum / <f32>count + eps);
}

/** out = x · factor · weight over `count` floats; `out` may be `x`. */
export function scaleBy(out: usize, x: usize, weight: usize, count: i32, factor: f32): void {
  const factors = f32x4.splat(factor);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (<usize>i) << 2;
    v128.store(out + at, f32x4.mul(f32x4.mul(v128.load(x + at), factors), v128.load(weight + at)));
  }
  for (; i < count; i++) {
    const at = (<usize>i) << 2;
    store<f32>(out + at, load<f32>(x + at) * factor * load<f32>(weight + at));
  }
}

/** out += x · factor · weight over `count` floats. */
function addScaled(out: usize, x: usize, weight: usize, count: i32, factor: f32): void {
  const factors = f32x4.splat(factor);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (<usize>i) << 2;
    const scaled = f32x4.mul(f32x4.mul(v128.load(x + at), factors), v128.load(weight + at));
    v128.store(out + at, f32x4.add(v128.load(out + at), scaled));
  }
  for (; i < count; i++) {
    const at = (<usize>i) << 2;
    store<f32>(out + at, load<f32>(out + at) + load<f32>(x + at) * factor * load<f32>(weight + at));
  }
}

/** out[row] += x[row] / sqrt(mean(x[row]²) + eps) · weight. */
export function addNorm(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  weight: usize,
  columns: i32,
  rowStart: i32,
  rowEnd: i32,
  eps: f32,
): void {
  for (let row = rowStart; row < rowEnd; row++) {
    const from = x + <usize>row * xStride;
    addScaled(out + <usize>row * outStride, from, weight, columns, inverseRms(from, columns, eps));
  }
}

/** out[row] = x[row] / sqrt(mean(x[row]²) + eps) · weight. */
export function rmsNorm(
  out: usize,
  outStride: usize,
  x: usize,
  xStride: usize,
  weight: usize,
  columns: i32,
  rowStart: i32,
  rowEnd: i32,
  eps: f32,
): void {
  for (let row = rowStart; row < rowEnd; row++) {
    const from = x + <usize>row * xStride;
    scaleBy(out + <usize>row * outStride, from, weight, columns, inverseRms(from, columns, eps));
  }
}
