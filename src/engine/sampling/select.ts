import { present } from '../../base/index.js';

/** A value with its rank, from the largest down. */
export interface RankedValue {
  readonly value: number;
  /** Number of larger values. */
  readonly above: number;
}

/**
 * The n-th largest of the first `count` values, n from 1 to `count`: quickselect, linear on average. Reorders them.
 * Source: Hoare 1961, "Algorithm 65: find", with Dijkstra's three-way partition.
 */
export function nthLargest(values: Float32Array, count: number, n: number): RankedValue {
  let low = 0;
  let high = count;
  for (;;) {
    const pivot = medianOfThree(values, low, high);
    let less = high;
    let greater = low;
    // [low, greater) is above the pivot, [greater, i) equal to it, [less, high) below it.
    for (let i = low; i < less;) {
      const value = values[i] as number;
      if (value > pivot) swap(values, i++, greater++);
      else if (value < pivot) swap(values, i, --less);
      else i++;
    }
    if (n <= greater) high = greater;
    else if (n <= less) return { value: pivot, above: greater };
    else low = less;
  }
}

function swap(values: Float32Array, i: number, j: number): void {
  const value = values[i] as number;
  values[i] = values[j] as number;
  values[j] = value;
}

function medianOfThree(values: Float32Array, low: number, high: number): number {
  const a = present(values[low], 'low is in range');
  const b = present(values[(low + high) >> 1], 'middle is in range');
  const c = present(values[high - 1], 'last is in range');
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
