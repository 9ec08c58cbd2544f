/** A binary heap of numbers with room for `capacity`: each merge takes one out and puts at most two in. */
export class MinHeap {
  readonly #keys: Float64Array;
  size = 0;

  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
  }

  push(key: number): void {
    const keys = this.#keys;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = keys[parent] as number;
      if (above <= key) break;
      keys[at] = above;
      at = parent;
    }
    keys[at] = key;
  }

  pop(): number {
    const keys = this.#keys;
    const top = keys[0] as number;
    const key = keys[--this.size] as number;
    const size = this.size;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && (keys[child + 1] as number) < (keys[child] as number)) child++;
      const below = keys[child] as number;
      if (below >= key) break;
      keys[at] = below;
      at = child;
    }
    keys[at] = key;
    return top;
  }
}
