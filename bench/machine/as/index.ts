// AssemblyScript: what the machine can do at most, and what it does without vector instructions. Compiled by the bench
// when it runs (../scalar-module.ts); no part of the product's kernels.

/** Reads `bytes` (a multiple of 128) and adds them up, so that the reads must happen; 128 bytes of sums at `out`. */
export function readMemory(from: usize, bytes: usize, out: usize): void {
  const end = from + bytes;
  let s0 = i32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let s4 = s0;
  let s5 = s0;
  let s6 = s0;
  let s7 = s0;
  for (let at = from; at < end; at += 128) {
    s0 = i32x4.add(s0, v128.load(at, 0));
    s1 = i32x4.add(s1, v128.load(at, 16));
    s2 = i32x4.add(s2, v128.load(at, 32));
    s3 = i32x4.add(s3, v128.load(at, 48));
    s4 = i32x4.add(s4, v128.load(at, 64));
    s5 = i32x4.add(s5, v128.load(at, 80));
    s6 = i32x4.add(s6, v128.load(at, 96));
    s7 = i32x4.add(s7, v128.load(at, 112));
  }
  v128.store(out, s0, 0);
  v128.store(out, s1, 16);
  v128.store(out, s2, 32);
  v128.store(out, s3, 48);
  v128.store(out, s4, 64);
  v128.store(out, s5, 80);
  v128.store(out, s6, 96);
  v128.store(out, s7, 112);
}

/**
 * out f32 [rows, outputs] = x · wᵀ. x int8 [rows, columns] with f32 scales [rows, columns / 32]; w the same
 * [outputs, columns]. The loop that anybody would write first.
 */
export function matmul(
  out: usize,
  x: usize,
  xScales: usize,
  w: usize,
  wScales: usize,
  rows: i32,
  outputs: i32,
  columns: i32,
): void {
  const blocks = columns >> 5;
  for (let row = 0; row < rows; row++) {
    for (let output = 0; output < outputs; output++) {
      let sum: f32 = 0;
      for (let block = 0; block < blocks; block++) {
        const a = x + row * columns + block * 32;
        const b = w + output * columns + block * 32;
        let inner = 0;
        for (let i = 0; i < 32; i++) inner += <i32>load<i8>(a + i) * <i32>load<i8>(b + i);
        sum +=
          <f32>inner *
          load<f32>(xScales + (((row * blocks + block) as usize) << 2)) *
          load<f32>(wScales + (((output * blocks + block) as usize) << 2));
      }
      store<f32>(out + (((row * outputs + output) as usize) << 2), sum);
    }
  }
}
