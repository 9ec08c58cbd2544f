import { multiplyAdd } from '../vector';

/** out += factor · x over `count` floats. */
function addRow(out: usize, x: usize, count: i32, factor: f32): void {
  const factors = f32x4.splat(factor);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (<usize>i) << 2;
    v128.store(out + at, multiplyAdd(factors, v128.load(x + at), v128.load(out + at)));
  }
  for (; i < count; i++) {
    const at = (<usize>i) << 2;
    store<f32>(out + at, load<f32>(out + at) + factor * load<f32>(x + at));
  }
}

/** x = decay · x + key · change, then out += query · x, over `count` floats. */
function changeRow(out: usize, x: usize, change: usize, count: i32, decay: f32, key: f32, query: f32): void {
  const decays = f32x4.splat(decay);
  const keys = f32x4.splat(key);
  const queries = f32x4.splat(query);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (<usize>i) << 2;
    const next = multiplyAdd(keys, v128.load(change + at), f32x4.mul(decays, v128.load(x + at)));
    v128.store(x + at, next);
    v128.store(out + at, multiplyAdd(queries, next, v128.load(out + at)));
  }
  for (; i < count; i++) {
    const at = (<usize>i) << 2;
    const next = decay * load<f32>(x + at) + key * load<f32>(change + at);
    store<f32>(x + at, next);
    store<f32>(out + at, load<f32>(out + at) + query * next);
  }
}

/** One token of one head of a gated delta rule; rows of the state in order, each from its first column to its last. */
export function deltaStep(
  out: usize,
  state: usize,
  query: usize,
  key: usize,
  value: usize,
  change: usize,
  keyDim: i32,
  valueDim: i32,
  decay: f32,
  learned: f32,
): void {
  const width = (<usize>valueDim) << 2;
  memory.fill(change, 0, width);
  memory.fill(out, 0, width);
  for (let i = 0; i < keyDim; i++) {
    addRow(change, state + <usize>i * width, valueDim, load<f32>(key + ((<usize>i) << 2)));
  }
  for (let j = 0; j < valueDim; j++) {
    const at = (<usize>j) << 2;
    store<f32>(change + at, learned * (load<f32>(value + at) - decay * load<f32>(change + at)));
  }
  for (let i = 0; i < keyDim; i++) {
    const at = (<usize>i) << 2;
    changeRow(out, state + <usize>i * width, change, valueDim, decay, load<f32>(key + at), load<f32>(query + at));
  }
}
