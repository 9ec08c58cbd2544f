import type { MessagePort } from 'node:worker_threads';

/** Sends the calls of one turn of the event loop as one message: a message costs some 10 µs whatever its size. */
export class BatchedPort<Sent, Received> {
  readonly #port: MessagePort;
  #waiting: Sent[] = [];
  #isClosed = false;

  /** `onClose`: once, when either side closes. */
  constructor(port: MessagePort, onMessage: (message: Received) => void, onClose: () => void) {
    this.#port = port;
    port.on('message', (messages: readonly Received[]) => messages.forEach(onMessage));
    port.once('close', () => {
      this.#isClosed = true;
      onClose();
    });
    // An idle meter keeps no thread alive.
    port.unref();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Puts `message` into the message of this turn. */
  send(message: Sent): void {
    this.#waiting.push(message);
    if (this.#waiting.length > 1) return;
    setImmediate(() => {
      const messages = this.#waiting;
      this.#waiting = [];
      if (!this.#isClosed) this.#port.postMessage(messages, []);
    });
  }

  close(): void {
    this.#port.close();
  }
}
