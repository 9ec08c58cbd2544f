import { present } from '../base/index.js';

/** Where a list that is ordered by falling value ends once it weighs enough. */
export interface Cut {
  /** The value at the cut; larger ones are in. */
  readonly value: number;
  /** What the larger ones weigh together. Of those equal to `value`, as many are in as are needed to reach the target. */
  readonly above: number;
}

/**
 * The first value, from the largest down, at which the weights reach `target`: quickselect, linear on average. Values and
 * weights (whole numbers, so that their sums are exact) are paired and get reordered. When all together weigh too little,
 * the cut is at −Infinity. Source: Hoare 1961, "Algorithm 65: find", with Dijkstra's three-way partition.
 */
export function cutByWeight(values: Float32Array, weights: Float32Array, count: number, target: number): Cut {
  let low = 0;
  let high = count;
  let above = 0;
  while (low < high) {
    const pivot = medianOfThree(values, low, high);
    let less = high;
    let greater = low;
    let heavier = 0;
    let equal = 0;
    // [low, greater) is above the pivot, [greater, i) equal to it, [less, high) below it.
    for (let i = low; i < less;) {
      const value = values[i] as number;
      const weight = weights[i] as number;
      if (value > pivot) {
        heavier += weight;
        swap(values, weights, i++, greater++);
      } else if (value < pivot) swap(values, weights, i, --less);
      else {
        equal += weight;
        i++;
      }
    }
    if (above + heavier >= target) high = greater;
    else if (above + heavier + equal >= target) return { value: pivot, above: above + heavier };
    else {
      above += heavier + equal;
      low = less;
    }
  }
  return { value: -Infinity, above };
}

function swap(values: Float32Array, weights: Float32Array, i: number, j: number): void {
  const value = values[i] as number;
  const weight = weights[i] as number;
  values[i] = values[j] as number;
  weights[i] = weights[j] as number;
  values[j] = value;
  weights[j] = weight;
}

function medianOfThree(values: Float32Array, low: number, high: number): number {
  const a = present(values[low], 'low is in range');
  const b = present(values[(low + high) >> 1], 'middle is in range');
  const c = present(values[high - 1], 'last is in range');
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
