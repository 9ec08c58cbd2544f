/**
 * A queue with round-robin among owners: a piece of one, then a piece of the next, so no owner waits for all of
 * another's work. Within an owner the oldest comes first. It has no limit of its own: its user enforces one.
 */
export class Turns<T> {
  /** By owner; the first has the next turn. */
  readonly #byOwner = new Map<unknown, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of owners with work here. */
  get numOwners(): number {
    return this.#byOwner.size;
  }

  /** The number of an owner's pieces. */
  sizeOf(owner: unknown): number {
    return this.#byOwner.get(owner)?.length ?? 0;
  }

  /** Appends a piece behind its owner's others. */
  push(owner: unknown, item: T): void {
    const own = this.#byOwner.get(owner);
    if (own === undefined) this.#byOwner.set(owner, [item]);
    else own.push(item);
    this.#size++;
  }

  /**
   * The next piece of an owner that `mayTake` allows; undefined without one. `mayTake` gets the owner and its number of
   * pieces.
   */
  take(mayTake: (owner: unknown, size: number) => boolean = () => true): T | undefined {
    for (const [owner, items] of this.#byOwner) {
      if (!mayTake(owner, items.length)) continue;
      const item = items.shift();
      // Moves the owner behind the others: a map is walked in insertion order.
      this.#byOwner.delete(owner);
      if (items.length > 0) this.#byOwner.set(owner, items);
      this.#size--;
      return item;
    }
    return undefined;
  }
}
