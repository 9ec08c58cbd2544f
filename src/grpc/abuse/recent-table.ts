/** Values by name, at most `limit`. The least recently used value is evicted. */
export class RecentTable<T> {
  readonly #limit: number;
  readonly #create: () => T;
  /** The least recent first. */
  readonly #values = new Map<string, T>();

  constructor(limit: number, create: () => T) {
    this.#limit = limit;
    this.#create = create;
  }

  get size(): number {
    return this.#values.size;
  }

  /** The value of a name; creates it if the name is unknown. */
  of(name: string): T {
    const value = this.#values.get(name) ?? this.#create();
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size > this.#limit) for (const oldest of this.#values.keys()) return this.#forget(oldest, value);
    return value;
  }

  #forget(name: string, value: T): T {
    this.#values.delete(name);
    return value;
  }
}
