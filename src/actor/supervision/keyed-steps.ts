/**
 * Runs asynchronous steps by key. Steps of one key run one after the other, steps of different keys concurrently. A
 * step on all keys waits for every earlier step, and every later step waits for it.
 */
export class KeyedSteps {
  #all: Promise<unknown> = Promise.resolve();
  readonly #last = new Map<object, Promise<unknown>>();
  readonly #running = new Map<object, Promise<unknown>>();

  /** Runs `step` after the earlier steps of `key`; settles as it does. */
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

  /** For a step of `key`: settles when all steps of other keys that run now have settled. */
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
