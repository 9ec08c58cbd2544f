/** Tokens that may still be chosen, and how likely each is. Reused from step to step: nothing is allocated while sampling. */
export class Candidates {
  /** Token ids; the first `count` are in play. */
  readonly ids: Int32Array;
  /** Beside each id: its logit, and after `normalize` its probability. */
  readonly weights: Float32Array;
  count = 0;

  constructor(vocabSize: number) {
    this.ids = new Int32Array(vocabSize);
    this.weights = new Float32Array(vocabSize);
  }

  /** Starts over with every token. */
  reset(logits: Float32Array): void {
    const { ids, weights } = this;
    weights.set(logits);
    for (let i = 0; i < logits.length; i++) ids[i] = i;
    this.count = logits.length;
  }

  /** Weights become probabilities that sum to 1: softmax. */
  normalize(): void {
    const { weights, count } = this;
    let max = -Infinity;
    for (let i = 0; i < count; i++) max = Math.max(max, weights[i] as number);
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const weight = Math.exp((weights[i] as number) - max);
      weights[i] = weight;
      sum += weight;
    }
    for (let i = 0; i < count; i++) weights[i] = (weights[i] as number) / sum;
  }

  /** Keeps the candidates whose weight is at least `threshold`, in their order. */
  keepAtLeast(threshold: number): void {
    const { ids, weights, count } = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const weight = weights[i] as number;
      if (weight < threshold) continue;
      ids[kept] = ids[i] as number;
      weights[kept] = weight;
      kept++;
    }
    this.count = kept;
  }

  /** Keeps the `limit` heaviest, heaviest first; of equal ones the lowest ids. */
  keepHeaviest(limit: number): void {
    const { ids, weights, count } = this;
    const order = Array.from({ length: count }, (_, i) => i).toSorted(
      (a, b) => (weights[b] as number) - (weights[a] as number) || (ids[a] as number) - (ids[b] as number),
    );
    const kept = order.slice(0, limit).map((i) => ({ id: ids[i] as number, weight: weights[i] as number }));
    kept.forEach(({ id, weight }, i) => {
      ids[i] = id;
      weights[i] = weight;
    });
    this.count = kept.length;
  }

  /** The `rank`-th largest weight (1 is the largest). Quickselect on a copy: linear on average. */
  weightAtRank(rank: number): number {
    const values = this.weights.slice(0, this.count);
    let low = 0;
    let high = values.length - 1;
    const target = rank - 1;
    while (low < high) {
      const pivot = values[(low + high) >> 1] as number;
      let i = low;
      let j = high;
      while (i <= j) {
        while ((values[i] as number) > pivot) i++;
        while ((values[j] as number) < pivot) j--;
        if (i > j) break;
        const swapped = values[i] as number;
        values[i] = values[j] as number;
        values[j] = swapped;
        i++;
        j--;
      }
      if (target <= j) high = j;
      else if (target >= i) low = i;
      else break;
    }
    return values[target] as number;
  }
}
