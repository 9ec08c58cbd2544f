/**
 * Work of several owners, who take turns: a piece of one, then a piece of the next, so that nobody waits for all that another
 * brought. Within an owner the oldest comes first. It has no limit of its own: whoever fills it has one.
 */
export class Turns<T> {
  /** By owner; the first has the next turn. */
  readonly #byOwner = new Map<unknown, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many have work here. */
  get numOwners(): number {
    return this.#byOwner.size;
  }

  /** How much of it is an owner's. */
  sizeOf(owner: unknown): number {
    return this.#byOwner.get(owner)?.length ?? 0;
  }

  /** Behind all of its owner's. */
  push(owner: unknown, item: T): void {
    const own = this.#byOwner.get(owner);
    if (own === undefined) this.#byOwner.set(owner, [item]);
    else own.push(item);
    this.#size++;
  }

  /** The next piece, or undefined where there is none of an owner that may. `mayTake` is told how many pieces an owner has. */
  take(mayTake: (owner: unknown, size: number) => boolean = () => true): T | undefined {
    for (const [owner, items] of this.#byOwner) {
      if (!mayTake(owner, items.length)) continue;
      const item = items.shift();
      // Behind the other owners: a map is walked in the order in which it was filled.
      this.#byOwner.delete(owner);
      if (items.length > 0) this.#byOwner.set(owner, items);
      this.#size--;
      return item;
    }
    return undefined;
  }
}
