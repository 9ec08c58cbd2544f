/**
 * Steps that wait for one another. Those on one key come one after the other, those on different keys beside one another;
 * a step on all of them waits for every step before it, and every step after it waits for it.
 */
export class Lanes {
  #all: Promise<unknown> = Promise.resolve();
  readonly #last = new Map<object, Promise<unknown>>();
  readonly #running = new Map<object, Promise<unknown>>();

  /** Runs `step` in the lane of `key`; settles as it does. */
  one<T>(key: object, step: () => Promise<T>): Promise<T> {
    const done = Promise.all([this.#all, this.#last.get(key)]).then(() => {
      const run = step();
      this.#running.set(key, run);
      return run;
    });
    const last = settled(done).then(() => {
      this.#running.delete(key);
      if (this.#last.get(key) === last) this.#last.delete(key);
    });
    this.#last.set(key, last);
    return done;
  }

  /** Runs `step` while no other runs; settles as it does. */
  all<T>(step: () => Promise<T>): Promise<T> {
    const done = Promise.all([this.#all, ...this.#last.values()]).then(step);
    this.#all = settled(done);
    return done;
  }

  /** For a step in the lane of `key`: settles when those that run in other lanes now are done, however they end. */
  async others(key: object): Promise<void> {
    const running = [...this.#running].flatMap(([other, run]) => (other === key ? [] : settled(run)));
    await Promise.all(running);
  }
}

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => {},
    () => {},
  );
}
