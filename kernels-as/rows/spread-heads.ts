/** x −= offset, whose first `2 · half` dims are turned by halves: cosines at `table`, sines behind them. */
function subtractTurned(x: usize, offset: usize, headDim: i32, half: i32, table: usize): void {
  const bytes = (<usize>half) << 2;
  for (let i = 0; i < half; i++) {
    const at = (<usize>i) << 2;
    const a = load<f32>(offset + at);
    const b = load<f32>(offset + bytes + at);
    const cos = load<f32>(table + at);
    const sin = load<f32>(table + bytes + at);
    store<f32>(x + at, load<f32>(x + at) - (a * cos - b * sin));
    store<f32>(x + bytes + at, load<f32>(x + bytes + at) - (b * cos + a * sin));
  }
  for (let i = 2 * half; i < headDim; i++) {
    const at = (<usize>i) << 2;
    store<f32>(x + at, load<f32>(x + at) - load<f32>(offset + at));
  }
}

/** The fast Walsh–Hadamard transform of `width` f32 (a power of two, at least 4), times 1 / √width, in place. */
function spread(x: usize, width: i32): void {
  const end = x + ((<usize>width) << 2);
  for (let step = (<usize>width) << 1; step >= 16; step >>= 1) {
    for (let from = x; from < end; from += step << 1) {
      for (let at = from; at < from + step; at += 16) {
        const a = v128.load(at);
        const b = v128.load(at + step);
        v128.store(at, f32x4.add(a, b));
        v128.store(at + step, f32x4.sub(a, b));
      }
    }
  }
  const factor = f32x4.splat(1 / sqrt<f32>(<f32>width));
  for (let at = x; at < end; at += 16) {
    let v = v128.load(at);
    let other = i32x4.shuffle(v, v, 2, 3, 0, 1);
    v = i32x4.shuffle(f32x4.add(v, other), f32x4.sub(v, other), 0, 1, 4, 5);
    other = i32x4.shuffle(v, v, 1, 0, 3, 2);
    v = i32x4.shuffle(f32x4.add(v, other), f32x4.sub(v, other), 0, 4, 2, 6);
    v128.store(at, f32x4.mul(v, factor));
  }
}

/** Minus an offset, then spread over the dims of the head, in place (kernel-interface.ts, spreadHeads). */
export function spreadHeads(
  x: usize,
  xStride: usize,
  numHeads: i32,
  headDim: i32,
  rotaryDim: i32,
  offset: usize,
  table: usize,
  rowStart: i32,
  rowEnd: i32,
): void {
  const width = headDim & -headDim;
  const headBytes = (<usize>headDim) << 2;
  for (let row = rowStart; row < rowEnd; row++) {
    for (let head = 0; head < numHeads; head++) {
      const at = x + <usize>row * xStride + <usize>head * headBytes;
      if (offset) subtractTurned(at, offset + <usize>head * headBytes, headDim, rotaryDim >> 1, table);
      if (width < 4) continue;
      for (let run = at; run < at + headBytes; run += (<usize>width) << 2) spread(run, width);
    }
  }
}
