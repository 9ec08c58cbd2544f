/** Counts the holders of each name; releasing the last one ends it. */
export class HandleCount {
  readonly #counts = new Map<string, number>();
  readonly #end: (name: string) => Promise<unknown>;

  constructor(end: (name: string) => Promise<unknown>) {
    this.#end = end;
  }

  /** Whether `name` has a holder. */
  has(name: string): boolean {
    return this.#counts.has(name);
  }

  /** One more holder of `name`; what is returned lets go, once, and settles when that ended it or others hold on. */
  add(name: string): () => Promise<void> {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    let dropping: Promise<void> | undefined;
    return () => (dropping ??= this.#drop(name));
  }

  async #drop(name: string): Promise<void> {
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) return void this.#counts.set(name, left);
    this.#counts.delete(name);
    await this.#end(name);
  }
}
