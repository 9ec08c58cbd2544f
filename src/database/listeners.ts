/** The callbacks of one listener: for each payload of a channel, and for payloads that may have been missed. */
interface Listener {
  readonly tell: (payload: string) => void;
  readonly tellMissed: (() => void) | undefined;
}

/** Listeners by channel. */
export class Listeners {
  readonly #byChannel = new Map<string, Set<Listener>>();

  /** The channels that have a listener. */
  get channels(): readonly string[] {
    return [...this.#byChannel.keys()];
  }

  /** Adds a listener; the returned function removes it. */
  add(channel: string, tell: (payload: string) => void, tellMissed?: () => void): () => void {
    const found = this.#byChannel.get(channel) ?? new Set();
    this.#byChannel.set(channel, found);
    const listener = { tell, tellMissed };
    found.add(listener);
    return () => void found.delete(listener);
  }

  tell(channel: string, payload: string): void {
    for (const { tell } of this.#byChannel.get(channel) ?? []) tell(payload);
  }

  tellMissed(channel: string): void {
    for (const { tellMissed } of this.#byChannel.get(channel) ?? []) tellMissed?.();
  }
}
