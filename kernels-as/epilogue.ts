// What a matmul does with its sums. Plain sums are stored by the kernels themselves, in two adjacent stores: V8's
// revectorizer starts from such pairs and follows them back through the loop, but not out of a call. With the stores
// in here q4 ran at 37 GMAC/s on Node 24, with the stores there at 58.

import { ONE } from './constants';
import { exp } from './vector';

const ADD: i32 = 1;
const GATE: i32 = 2;

/** Bytes between a row's start and the place of `group`'s eight outputs: pairs of groups share one with GATE. */
export function outputOffset(group: i32, epilogue: i32): usize {
  return (<usize>(epilogue == GATE ? group >> 1 : group)) << 5;
}

/** Whether sums are stored as they are. */
export function isPlain(bias: usize, epilogue: i32): bool {
  return (bias | <usize>epilogue) == 0;
}

/** x / (1 + e^−x) in each lane. */
function silu(x: v128): v128 {
  return f32x4.div(x, f32x4.add(v128.load(ONE), exp(f32x4.neg(x))));
}

/**
 * Puts eight sums at `out`: outputs 0…3 in `low`, 4…7 in `high`. `bias` points to their eight biases or is 0. With
 * GATE the even group waits at `out` for the odd one, which follows it on the same thread.
 */
export function finish(out: usize, low: v128, high: v128, bias: usize, group: i32, epilogue: i32): void {
  if (bias) {
    low = f32x4.add(low, v128.load(bias));
    high = f32x4.add(high, v128.load(bias, 16));
  }
  if (epilogue == ADD) {
    low = f32x4.add(v128.load(out), low);
    high = f32x4.add(v128.load(out, 16), high);
  } else if (epilogue == GATE && group & 1) {
    low = f32x4.mul(silu(v128.load(out)), low);
    high = f32x4.mul(silu(v128.load(out, 16)), high);
  }
  v128.store(out, low);
  v128.store(out, high, 16);
}
