import { createHash, type Hash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';

/** SHA-256 of each chunk of bytes that come one after the other. */
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

  /** Those of all chunks, in hex; the last chunk may be shorter. */
  finish(): string[] {
    if (this.#size % this.#chunkBytes !== 0) this.#close();
    return this.#sums;
  }

  #close(): void {
    this.#sums.push(this.#chunk.digest('hex'));
    this.#chunk = createHash('sha256');
  }
}

/** The work of one thread: bytes come on the port, and null at their end. Bytes are answered when they are hashed. */
export interface SumsTask {
  readonly port: MessagePort;
  readonly chunkBytes: number;
}

/** What a worker thread runs until the end, when it gives the sums. piscina looks for the default or a named export. */
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
