import { alignUp, createThreadPool, usableCores, waitFor, type ErrorData } from '../../base/index.js';
import { compileRepackKernels, createRepackKernels } from '../../weights/index.js';
import { Handoff } from './handoff.js';
import { packBatch, type Batch } from './pack-batch.js';

/** Below this many weights a thread would start for longer than it saves. */
const THREADS_FROM_WEIGHTS = 64 * 1024 * 1024;
/** One thread reads for all: more packers would wait for it. */
const MAX_THREADS = 8;
/** Heap of a packing thread: rows and packed bytes lie in shared memory. */
const HEAP_MB = 128;
/** A page of WASM. */
const PAGE_BYTES = 65_536;
/** Slots begin at whole cache lines. */
const SLOT_ALIGNMENT = 64;
/** One batch is a few MiB, some 20 ms of work; past this its thread hangs. */
const LIMIT_MS = 60_000;

/** Memory of one batch, for rows and for what is packed of them: in that of the packer, which its threads share. */
export interface Slot {
  readonly rows: Float32Array;
  readonly out: Uint8Array;
}

/** The slots of a packer: whoever finds none waits for one, and none is made before it is asked for. */
export class Slots {
  readonly #free: Slot[] = [];
  readonly #create: () => Slot;
  readonly #waiting = new Handoff<Slot>();
  #left: number;
  #isWaited = false;

  constructor(count: number, create: () => Slot) {
    this.#left = count;
    this.#create = create;
  }

  /** One call at a time. Errors: the reason of `close`. */
  async take(): Promise<Slot> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#left > 0) {
      this.#left--;
      return this.#create();
    }
    this.#isWaited = true;
    return this.#waiting.take().finally(() => (this.#isWaited = false));
  }

  giveBack(slot: Slot): void {
    if (this.#isWaited) this.#waiting.push(slot);
    else this.#free.push(slot);
  }

  /** Nothing is given back any more. */
  close(reason: unknown): void {
    this.#left = 0;
    this.#free.length = 0;
    this.#waiting.fail(reason);
  }
}

/**
 * Memory for what one matrix at a time has to keep, made anew only for a larger one: the system would clear fresh pages for
 * each. Shared, as slots are.
 */
export class SpareMemory {
  #bytes = new Uint8Array(new SharedArrayBuffer(0));

  /** The first `sizeBytes` of it, with what was written there since a larger size was last asked for. */
  of(sizeBytes: number): Uint8Array {
    if (this.#bytes.length < sizeBytes) this.#bytes = new Uint8Array(new SharedArrayBuffer(sizeBytes));
    return this.#bytes.subarray(0, sizeBytes);
  }
}

/** Packs batches, several at once where there are threads. Its memory serves one tensor after the other. */
export interface Packer extends AsyncDisposable {
  /** Where batches are under way. */
  readonly slots: Slots;
  /** For the matrix that is being taken. */
  readonly spare: SpareMemory;
  /** For a run of rows that has yet to be put in place. */
  readonly staging: Float32Array;
  pack(batch: Batch): Promise<ErrorData | null>;
}

/**
 * A packer whose largest batch has these sizes. `numWeights`: those that are packed as floats, on threads when they are many; blocks
 * are repacked on this thread, since a batch of them takes less than to hand it over.
 */
export async function createPacker(numWeights: number, batchFloats: number, batchBytes: number): Promise<Packer> {
  const threads = numWeights < THREADS_FROM_WEIGHTS ? 0 : Math.min(MAX_THREADS, usableCores());
  // One is read into, each thread packs one, and one is written.
  const numSlots = Math.max(1, threads) + 2;
  const { memory, create } = reserveSlots(numSlots, batchFloats, batchBytes);
  const kernels = createRepackKernels(memory, compileRepackKernels());
  const parts = {
    slots: new Slots(numSlots, create),
    spare: new SpareMemory(),
    staging: new Float32Array(batchFloats),
  };
  if (threads <= 1)
    return { ...parts, pack: async (batch) => packBatch(batch, kernels), async [Symbol.asyncDispose]() {} };
  const pool = await createThreadPool<Batch, ErrorData | null>({
    file: 'dist/src/convert/packing/pack-batch.js',
    minThreads: threads,
    maxThreads: threads,
    heapMb: HEAP_MB,
  });
  // A thread that dies between two batches is heard as an event, which would end the process if nobody listened.
  const broken = new Promise<never>((_, reject) => pool.on('error', reject));
  broken.catch(() => {});
  return {
    ...parts,
    async pack(batch) {
      if (batch.blocks !== undefined) return packBatch(batch, kernels);
      return waitFor(Promise.race([pool.run(batch, { name: 'packBatch' }), broken]), 'packing a batch', {
        deadlineMs: LIMIT_MS,
      });
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** Memory for `count` slots, of which the system gives only what is used. */
function reserveSlots(
  count: number,
  floats: number,
  bytes: number,
): { readonly memory: WebAssembly.Memory; readonly create: () => Slot } {
  const rowBytes = alignUp(floats * 4, SLOT_ALIGNMENT);
  const slotBytes = rowBytes + alignUp(bytes, SLOT_ALIGNMENT);
  const pages = Math.max(1, Math.ceil((count * slotBytes) / PAGE_BYTES));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  let end = 0;
  const create = (): Slot => {
    const start = end;
    end += slotBytes;
    return {
      rows: new Float32Array(memory.buffer, start, floats),
      out: new Uint8Array(memory.buffer, start + rowBytes, bytes),
    };
  };
  return { memory, create };
}
