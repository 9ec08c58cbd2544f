import { AppError } from '../errors.js';

/** A first-in first-out queue that refuses to grow past `limit`. Ring buffer; O(1) at both ends. */
export class BoundedQueue<T> {
  readonly limit: number;
  readonly #name: string;
  #items: (T | undefined)[];
  #head = 0;
  #size = 0;

  constructor(name: string, limit: number) {
    this.#name = name;
    this.limit = limit;
    this.#items = new Array<T | undefined>(Math.min(limit, 16));
  }

  get size(): number {
    return this.#size;
  }

  /** Appends `item`. Errors: `queue_full`. */
  push(item: T): void {
    if (this.#size === this.limit) {
      throw new AppError('queue_full', `${this.#name} is full: its limit is ${this.limit} items; try again later`, {
        queue: this.#name,
        limit: this.limit,
      });
    }
    if (this.#size === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#size) % this.#items.length] = item;
    this.#size++;
  }

  /** Takes the oldest item, or undefined when the queue is empty. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#items.length;
    this.#size--;
    return item;
  }

  #grow(): void {
    const grown = new Array<T | undefined>(Math.min(this.limit, this.#items.length * 2));
    for (let i = 0; i < this.#size; i++) grown[i] = this.#items[(this.#head + i) % this.#items.length];
    this.#items = grown;
    this.#head = 0;
  }
}
