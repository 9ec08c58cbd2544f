/** A value that changes, and its listeners. */
export interface Store<T> {
  get(): T;
  /** Merges fields into the value, and tells all who listen. */
  set(change: Partial<T>): void;
  /** Calls `listener` after each change; the returned function ends it. */
  subscribe(listener: () => void): () => void;
}

/** Makes one. */
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
