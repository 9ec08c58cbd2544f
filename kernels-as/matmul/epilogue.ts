// What a matmul does with its sums: (before + (sum + bias)) · factor, where before and factor may be what lies at the
// output already. Kernels end with it in pairs of adjacent stores, because V8's revectorizer starts from such pairs and
// follows them back through the loop, but not out of a call: with the stores in here q4 ran at 37 GMAC/s on Node 24,
// with the stores there at 58. Nor may a vector be handed to a function that is not inlined and that stores a pair made
// from it: the revectorizer of Node 24 and 26 ends the process on such a parameter.

import {
  EXP2_ROUNDING,
  EXP_LEAST,
  EXP_LN2_HIGH,
  EXP_LN2_LOW,
  EXP_LOG2E,
  EXP_MOST,
  EXP_P0,
  EXP_P1,
  EXP_P2,
  EXP_P3,
  EXP_P4,
  EXP_P5,
  EXPONENT_BIAS,
  ONE,
  ZERO,
} from '../constants';
import { exp } from '../vector';

const ADD: i32 = 1;
/** This and what is greater: the even groups' results, activated, times the odd groups'. */
const GATE: i32 = 2;
const GELU_GATE: i32 = 3;

/** Bytes between a row's start and the place of `group`'s eight outputs: pairs of groups share one with GATE. */
export function outputOffset(group: i32, epilogue: i32): usize {
  return (<usize>(epilogue >= GATE ? group >> 1 : group)) << 5;
}

/** Where the eight biases of `group` lie. */
export function biasOf(bias: usize, group: i32): usize {
  return bias ? bias + ((<usize>group) << 5) : ZERO;
}

/** Where lies what is added to a result at `out`. */
export function beforeOf(out: usize, epilogue: i32): usize {
  return epilogue == ADD ? out : ZERO;
}

/** Where lies what a result at `out` is multiplied with. With a gate the activated even group waits for the odd one. */
export function factorOf(out: usize, group: i32, epilogue: i32): usize {
  return epilogue >= GATE && group & 1 ? out : ONE;
}

/** Bytes from one row's part of an operand to the next one's: none where the operand is a constant. */
export function strideOf(operand: usize, out: usize, outStride: usize): usize {
  return operand == out ? outStride : 0;
}

/** Four results. */
export function result(sum: v128, bias: v128, before: usize, factor: usize): v128 {
  return f32x4.mul(f32x4.add(v128.load(before), f32x4.add(sum, bias)), v128.load(factor));
}

/** Bytes between the start of a quantised row and its room for the sums of two groups (kernel-interface.ts, quantised row). */
export function sumsOffset(columns: i32): usize {
  return <usize>(columns + (columns >> 1));
}

/** Sets the sixteen sums of a row to 0. */
export function clearSums(sums: usize): void {
  memory.fill(sums, 0, 64);
}

/** Puts the results of `group`, and of the next one where `groups` is 2, for `rows` rows, whose sums lie from `sumRows` on, to row 0's start at `out`. */
export function finishSums(
  out: usize,
  outStride: usize,
  sumRows: usize,
  xStride: usize,
  rows: i32,
  bias: usize,
  group: i32,
  groups: i32,
  epilogue: i32,
): void {
  const last = group + groups - 1;
  for (; group <= last; group++) {
    const biases = biasOf(bias, group);
    const bias0 = v128.load(biases);
    const bias1 = v128.load(biases, 16);
    const at = out + outputOffset(group, epilogue);
    let to = at;
    let sums = sumRows;
    let before = beforeOf(to, epilogue);
    let factor = factorOf(to, group, epilogue);
    const beforeStride = strideOf(before, to, outStride);
    const factorStride = strideOf(factor, to, outStride);
    for (let row = 0; row < rows; row++) {
      const low = result(v128.load(sums), bias0, before, factor);
      const high = result(v128.load(sums, 16), bias1, before + 16, factor + 16);
      v128.store(to, low);
      v128.store(to, high, 16);
      to += outStride;
      sums += xStride;
      before += beforeStride;
      factor += factorStride;
    }
    finish(at, outStride, rows, group, epilogue);
    sumRows += 32;
  }
}

/**
 * What is left to do with the eight results of `group` in each row: with a gate the even ones are activated, x / (1 + e^−a).
 * silu: a = x. gelu, the approximation by tanh: a = 2 √(2 / π) (x + 0.044715 x³), because (1 + tanh y) / 2 = 1 / (1 + e^−2y).
 */
export function finish(out: usize, outStride: usize, rows: i32, group: i32, epilogue: i32): void {
  if (epilogue < GATE || group & 1) return;
  const isGelu = epilogue == GELU_GATE;
  const least = v128.load(EXP_LEAST);
  const most = v128.load(EXP_MOST);
  const log2e = v128.load(EXP_LOG2E);
  const rounding = v128.load(EXP2_ROUNDING);
  const ln2High = v128.load(EXP_LN2_HIGH);
  const ln2Low = v128.load(EXP_LN2_LOW);
  const p0 = v128.load(EXP_P0);
  const p1 = v128.load(EXP_P1);
  const p2 = v128.load(EXP_P2);
  const p3 = v128.load(EXP_P3);
  const p4 = v128.load(EXP_P4);
  const p5 = v128.load(EXP_P5);
  const one = v128.load(ONE);
  const bias = v128.load(EXPONENT_BIAS);
  const linear = f32x4.splat(1.5957691216057308);
  const cubic = f32x4.splat(0.07135481282730251);
  for (; rows > 0; rows--) {
    const x0 = v128.load(out);
    const x1 = v128.load(out, 16);
    let a0 = x0;
    let a1 = x1;
    if (isGelu) {
      a0 = f32x4.mul(x0, f32x4.add(linear, f32x4.mul(cubic, f32x4.mul(x0, x0))));
      a1 = f32x4.mul(x1, f32x4.add(linear, f32x4.mul(cubic, f32x4.mul(x1, x1))));
    }
    const e0 = exp(f32x4.neg(a0), least, most, log2e, rounding, ln2High, ln2Low, p0, p1, p2, p3, p4, p5, one, bias);
    const e1 = exp(f32x4.neg(a1), least, most, log2e, rounding, ln2High, ln2Low, p0, p1, p2, p3, p4, p5, one, bias);
    const low = f32x4.div(x0, f32x4.add(one, e0));
    const high = f32x4.div(x1, f32x4.add(one, e1));
    v128.store(out, low);
    v128.store(out, high, 16);
    out += outStride;
  }
}
