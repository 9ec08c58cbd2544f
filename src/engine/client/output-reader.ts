import { createRing, openConsumer, type RingConsumer, type RingHandle } from '../../actor/index.js';
import { decodeOutput, type OutputRecord } from './output-record.js';

/** Ring for tokens from the engine to its callers: a few steps of the largest batch, then the engine waits. */
const RING_BYTES = 1 << 16;
/** A ring accepts records of up to half its size; twice that, so that one embedding is written while another is read. */
const RECORDS_IN_RING = 4;
/** Reads engines' outputs, each from a ring of its own, and passes on record after record. */
export class OutputReader {
  readonly #onRecord: (record: OutputRecord) => void;
  #consumer: RingConsumer | undefined;
  #isClosed = false;

  constructor(onRecord: (record: OutputRecord) => void) {
    this.#onRecord = onRecord;
  }

  /** The ring of a new engine; unread records of the former one are dropped. `maxRecordBytes`: the engine's longest record. */
  open(maxRecordBytes: number): RingHandle {
    this.#consumer?.close();
    const handle = createRing({ capacityBytes: Math.max(RING_BYTES, RECORDS_IN_RING * maxRecordBytes) });
    this.#consumer = openConsumer(handle);
    if (this.#isClosed) this.#consumer.close();
    void this.#pump(this.#consumer);
    return handle;
  }

  /** Sets whether expected outputs keep the process alive. */
  hold(isAwaited: boolean): void {
    this.#consumer?.hold(isAwaited);
  }

  close(): void {
    this.#isClosed = true;
    this.#consumer?.close();
  }

  /** Reads until the ring is closed. */
  async #pump(consumer: RingConsumer): Promise<void> {
    while (await consumer.wait()) consumer.drain((bytes) => this.#onRecord(decodeOutput(bytes)));
  }
}
