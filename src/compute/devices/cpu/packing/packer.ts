import { alignUp, createThreadPool, usableCores, waitFor, type ErrorData } from '../../../../base/index.js';
import { compileRepackKernels, createRepackKernels } from '../../../../weights/index.js';
import { Handoff } from './handoff.js';
import { packBatch, type PackBatch } from './pack-batch.js';

/** Below this many weights a thread's start takes longer than it saves. */
const THREADS_FROM_WEIGHTS = 64 * 1024 * 1024;
/** One thread reads for all: more packers would wait for it. */
const MAX_THREADS = 8;
/** Heap of a packing thread: rows and packed bytes lie in shared memory. */
const HEAP_MB = 128;
/** A page of WASM. */
const PAGE_BYTES = 65_536;
/** Slots begin at whole cache lines. */
const SLOT_ALIGNMENT = 64;
/** One batch is a few MiB, some 20 ms of work; past this limit its thread hangs. */
const LIMIT_MS = 60_000;

/** Memory of one batch, for its rows and its packed groups, in the packer's memory, which its threads share. */
export interface Slot {
  readonly rows: Float32Array;
  readonly out: Uint8Array;
}

/** The slots of a packer. A caller waits when none is free; a slot is created at its first use. */
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

  /** No slot is released any more. */
  close(reason: unknown): void {
    this.#left = 0;
    this.#free.length = 0;
    this.#waiting.fail(reason);
  }
}

/**
 * Memory that one matrix at a time keeps, reallocated only for a larger one: the system would clear fresh pages for
 * each. Shared, as slots are.
 */
export class SpareMemory {
  #bytes = new Uint8Array(new SharedArrayBuffer(0));

  /** The first `sizeBytes` of it. The content stays until a larger size is requested. */
  of(sizeBytes: number): Uint8Array {
    if (this.#bytes.length < sizeBytes) this.#bytes = new Uint8Array(new SharedArrayBuffer(sizeBytes));
    return this.#bytes.subarray(0, sizeBytes);
  }
}

/** Packs batches, several at once with threads. Its memory serves one tensor after the other. */
export interface Packer extends AsyncDisposable {
  /** Memory of the batches under way. */
  readonly slots: Slots;
  /** For the matrix that is being taken. */
  readonly spare: SpareMemory;
  /** For a run of rows before it is copied into place. */
  readonly staging: Float32Array;
  pack(batch: PackBatch): Promise<ErrorData | null>;
}

/**
 * A packer whose largest batch has these sizes. `numWeights`: the weights that are packed from floats, on threads when
 * they are many. Blocks are repacked on this thread, since that takes less time than handing a batch over.
 */
export async function createPacker(numWeights: number, batchFloats: number, batchBytes: number): Promise<Packer> {
  const threads = numWeights < THREADS_FROM_WEIGHTS ? 0 : Math.min(MAX_THREADS, usableCores());
  // One slot is being read into, each thread packs one, and one is being written.
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
  const pool = await createThreadPool<PackBatch, ErrorData | null>({
    file: 'dist/src/compute/devices/cpu/packing/pack-batch.js',
    minThreads: threads,
    maxThreads: threads,
    heapMb: HEAP_MB,
  });
  // A thread's death between two batches emits an 'error' event, which would end the process without a listener.
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

/** Reserves memory for `count` slots; the system allocates only used pages. */
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
