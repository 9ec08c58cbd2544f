// What a matmul does with its sums: (before + (sum + bias)) · factor, where before and factor may be what lies at the
// output already. Kernels end with it in pairs of adjacent stores, because V8's revectorizer starts from such pairs and
// follows them back through the loop, but not out of a call: with the stores in here q4 ran at 37 GMAC/s on Node 24,
// with the stores there at 58. Nor may a vector be handed to a function that is not inlined and that stores a pair made
// from it: the revectorizer of Node 24 and 26 ends the process on such a parameter.

import { ONE, ZERO } from './constants';
import { exp } from './vector';

const ADD: i32 = 1;
const GATE: i32 = 2;

/** Bytes between a row's start and the place of `group`'s eight outputs: pairs of groups share one with GATE. */
export function outputOffset(group: i32, epilogue: i32): usize {
  return (<usize>(epilogue == GATE ? group >> 1 : group)) << 5;
}

/** Where the eight biases of `group` lie. */
export function biasOf(bias: usize, group: i32): usize {
  return bias ? bias + ((<usize>group) << 5) : ZERO;
}

/** Where lies what is added to a result at `out`. */
export function beforeOf(out: usize, epilogue: i32): usize {
  return epilogue == ADD ? out : ZERO;
}

/** Where lies what a result at `out` is multiplied with. With GATE silu of the even group waits for the odd one. */
export function factorOf(out: usize, group: i32, epilogue: i32): usize {
  return epilogue == GATE && group & 1 ? out : ONE;
}

/** Bytes from one row's part of an operand to the next one's: none where the operand is a constant. */
export function strideOf(operand: usize, out: usize, outStride: usize): usize {
  return operand == out ? outStride : 0;
}

/** Four results. */
export function result(sum: v128, bias: v128, before: usize, factor: usize): v128 {
  return f32x4.mul(f32x4.add(v128.load(before), f32x4.add(sum, bias)), v128.load(factor));
}

/** Bytes between the start of a quantised row and its room for the sums of two groups (ops.ts, quantised row). */
export function roomOffset(columns: i32): usize {
  return <usize>(columns + (columns >> 2));
}

/** Sets the sixteen sums of a room to 0. */
export function clearRoom(room: usize): void {
  memory.fill(room, 0, 64);
}

/** Puts the results of `group` and the next one for `rows` rows, whose sums lie in rooms, to row 0's start at `out`. */
export function finishRooms(
  out: usize,
  outStride: usize,
  rooms: usize,
  xStride: usize,
  rows: i32,
  bias: usize,
  group: i32,
  epilogue: i32,
): void {
  const last = group + 1;
  for (; group <= last; group++) {
    const biases = biasOf(bias, group);
    const bias0 = v128.load(biases);
    const bias1 = v128.load(biases, 16);
    const at = out + outputOffset(group, epilogue);
    let to = at;
    let sums = rooms;
    for (let row = 0; row < rows; row++) {
      const before = beforeOf(to, epilogue);
      const factor = factorOf(to, group, epilogue);
      const low = result(v128.load(sums), bias0, before, factor);
      const high = result(v128.load(sums, 16), bias1, before + 16, factor + 16);
      v128.store(to, low);
      v128.store(to, high, 16);
      to += outStride;
      sums += xStride;
    }
    finish(at, outStride, rows, group, epilogue);
    rooms += 32;
  }
}

/** x / (1 + e^−x) in each lane. */
function silu(x: v128): v128 {
  return f32x4.div(x, f32x4.add(v128.load(ONE), exp(f32x4.neg(x))));
}

/** What is left to do with the eight results of `group` in each row: with GATE the even ones become silu of themselves. */
export function finish(out: usize, outStride: usize, rows: i32, group: i32, epilogue: i32): void {
  if (epilogue != GATE || group & 1) return;
  for (; rows > 0; rows--) {
    v128.store(out, silu(v128.load(out)));
    v128.store(out, silu(v128.load(out, 16)), 16);
    out += outStride;
  }
}
