/** A priority queue of whole numbers, the least first: a binary heap, since a grammar may begin with thousands of rules. */
export class LeastFirst {
  readonly #heap: number[] = [];

  push(value: number): void {
    const heap = this.#heap;
    let at = heap.push(value) - 1;
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if ((heap[above] as number) <= value) break;
      heap[at] = heap[above] as number;
      at = above;
    }
    heap[at] = value;
  }

  /** The least number, which is no longer there; undefined where there is none. */
  take(): number | undefined {
    const heap = this.#heap;
    const least = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return least;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const lesser = (heap[below + 1] ?? Infinity) < (heap[below] as number) ? below + 1 : below;
      if ((heap[lesser] as number) >= last) break;
      heap[at] = heap[lesser] as number;
      at = lesser;
    }
    heap[at] = last;
    return least;
  }
}
