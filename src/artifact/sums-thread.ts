import { createHash, type Hash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';

/** SHA-256 of each chunk of a byte stream. */
export class ChunkSums {
  readonly #chunkBytes: number;
  readonly #sums: string[] = [];
  #chunk: Hash = createHash('sha256');
  #size = 0;

  constructor(chunkBytes: number) {
    this.#chunkBytes = chunkBytes;
  }

  add(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length;) {
      const part = bytes.subarray(start, start + this.#chunkBytes - (this.#size % this.#chunkBytes));
      this.#chunk.update(part);
      this.#size += part.length;
      start += part.length;
      if (this.#size % this.#chunkBytes === 0) this.#close();
    }
  }

  /** The hashes of all chunks, in hex; the last chunk may be shorter. */
  finish(): string[] {
    if (this.#size % this.#chunkBytes !== 0) this.#close();
    return this.#sums;
  }

  #close(): void {
    this.#sums.push(this.#chunk.digest('hex'));
    this.#chunk = createHash('sha256');
  }
}

/**
 * The task of one thread: the port brings bytes, and null at their end. The thread posts bytes back when it has hashed
 * them.
 */
export interface SumsTask {
  readonly port: MessagePort;
  readonly chunkBytes: number;
}

/** Runs on a worker thread until the end and returns the hashes. piscina looks for the default or a named export. */
export async function run({ port, chunkBytes }: SumsTask): Promise<string[]> {
  const sums = new ChunkSums(chunkBytes);
  await new Promise<void>((resolve) => {
    port.on('message', (bytes: Uint8Array | null) => {
      if (bytes === null) {
        resolve();
        return;
      }
      sums.add(bytes);
      port.postMessage(null);
    });
  });
  return sums.finish();
}
