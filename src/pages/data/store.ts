/** An observable value. */
export interface Store<T> {
  get(): T;
  /** Merges fields into the value and calls all listeners. */
  set(change: Partial<T>): void;
  /** Calls `listener` after each change; the returned function unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** Creates a store. */
export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(change) {
      value = { ...value, ...change };
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
