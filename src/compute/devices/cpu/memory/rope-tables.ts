/** Tables of cosines and sines by which kernels turn heads. */

import type { GraphRope } from '../../../compute-graph.js';

/** cos then sin of position · frequency for each pair, times the magnitude; angles in f64, because f32 loses them at long contexts. */
export function writeTurn(table: Float32Array, at: number, position: number, rope: GraphRope): void {
  const { frequencies, magnitude } = rope;
  const pairs = frequencies.length;
  for (let pair = 0; pair < pairs; pair++) {
    const angle = position * (frequencies[pair] as number);
    table[at + pair] = magnitude * Math.cos(angle);
    table[at + pairs + pair] = magnitude * Math.sin(angle);
  }
}

/**
 * Positions for the mean turn: a usual context. Pairs that turn slowly, where biases of keys are large, hardly move in
 * so many. It is a constant, because the bits of logits may not depend on the size of a context.
 */
const MEAN_POSITIONS = 4096;

/**
 * The mean of `writeTurn` over the positions 0 … MEAN_POSITIONS − 1, by the sum of a geometric series. A pair that turns fast has
 * a mean near zero; one that hardly turns has nearly its first turn, (1, 0).
 */
export function writeMeanTurn(table: Float32Array, { frequencies, magnitude }: GraphRope): void {
  const pairs = frequencies.length;
  for (let pair = 0; pair < pairs; pair++) {
    const half = (frequencies[pair] as number) / 2;
    // A multiple of a whole turn stands still as well.
    const length = Math.sin(half) === 0 ? 1 : Math.sin(MEAN_POSITIONS * half) / (MEAN_POSITIONS * Math.sin(half));
    const angle = (MEAN_POSITIONS - 1) * half;
    table[pair] = magnitude * length * Math.cos(angle);
    table[pairs + pair] = magnitude * length * Math.sin(angle);
  }
}
