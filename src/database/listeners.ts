/** Who listens to which channel. */
export class Listeners {
  readonly #byChannel = new Map<string, Set<(payload: string) => void>>();

  /** The channels that somebody listens to. */
  get channels(): readonly string[] {
    return [...this.#byChannel.keys()];
  }

  /** Adds a listener; the returned function removes it. */
  add(channel: string, listener: (payload: string) => void): () => void {
    const found = this.#byChannel.get(channel) ?? new Set();
    this.#byChannel.set(channel, found);
    found.add(listener);
    return () => void found.delete(listener);
  }

  tell(channel: string, payload: string): void {
    for (const listener of this.#byChannel.get(channel) ?? []) listener(payload);
  }
}
