import { assert, present } from '../../../../base/index.js';
import type { MemoryPlan } from '../memory/memory-plan.js';
import type { ComputeGraph } from '../../../compute-graph.js';
import type { LogitsRow } from '../../../logits-row.js';
import { instantiateRowKernels, type RowKernels, type SharedRowKernels } from './row-kernels.js';
import { ROW_BLOCK_TOKENS, rowBytes, rowParts, rowSize } from './row-layout.js';
import { createLoneRowThread, firstBlock, type RowMemory, type RowThreads } from './row-threads.js';
import type { Segment } from '../threads/thread-view.js';
import { createSharedMemory, PAGE_BYTES } from '../memory/wasm-memory.js';

/**
 * A row in a WASM memory, with its kernels' scratch and threads. Every result is the same for any number of parts. All
 * views stay valid.
 */
export class Row implements LogitsRow {
  readonly kernels: RowKernels;
  /** Address in the kernels' memory. */
  readonly at: number;
  readonly vocabSize: number;
  /** The vocabulary, rounded up to whole blocks. */
  readonly size: number;
  /** Tokens of one block. */
  readonly blockSize = ROW_BLOCK_TOKENS;
  /** f32 [size], a copy; −Infinity beyond the vocabulary, which must stay. */
  readonly #copy: Float32Array;
  /** The logits, f32 [vocabSize] at least, and their address. Not to be written to: see `own`. */
  #values: Float32Array;
  #valuesAt: number;
  readonly masses: Float64Array;
  readonly blockMax: Float32Array;
  readonly allowed: Uint32Array;
  readonly order: Float32Array;
  readonly list: Float32Array;
  readonly ids: Int32Array;
  readonly #threadGroup: RowThreads;

  /** The row at `place` in memory `buffer`, which begins with no token at all. */
  constructor({ kernels, at, size }: RowMemory, buffer: ArrayBufferLike, vocabSize: number, threadGroup: RowThreads) {
    this.kernels = kernels;
    this.at = at;
    this.vocabSize = vocabSize;
    this.size = size;
    this.#threadGroup = threadGroup;
    assert(kernels.blockSize() === ROW_BLOCK_TOKENS, 'kernels and plan agree on the size of a block');
    const floats = (address: number, length: number): Float32Array => new Float32Array(buffer, address >>> 0, length);
    this.#copy = floats(kernels.valuesAt(at), size).fill(-Infinity);
    this.#values = this.#copy;
    this.#valuesAt = at;
    this.ids = new Int32Array(buffer, kernels.idsAt(at, size) >>> 0, size);
    this.list = floats(kernels.listAt(at, size), size);
    this.order = floats(kernels.allowedAt(at, size), size);
    this.allowed = new Uint32Array(buffer, kernels.allowedAt(at, size) >>> 0, size / 32);
    this.blockMax = floats(kernels.blockMaxAt(at, size), size / ROW_BLOCK_TOKENS);
    this.masses = new Float64Array(buffer, kernels.massesAt(at, size) >>> 0, kernels.numBuckets(size));
  }

  /** f32 [vocabSize] or more: the logits. Before they are written to, `own` must have been called. */
  get values(): Float32Array {
    return this.#values;
  }

  /**
   * Another row, f32 [vocabSize]; returns the largest logit, NaN where one is NaN or +Infinity. Whole blocks in the
   * kernels' memory are read where they are, and must stay as they are meanwhile; others are copied.
   */
  load(logits: Float32Array): number {
    this.#values = this.#copy;
    this.#valuesAt = this.at;
    const isNear = logits.buffer === this.#copy.buffer;
    if (isNear && this.vocabSize === this.size) {
      this.#values = logits;
      this.#valuesAt = logits.byteOffset;
    } else if (isNear) this.run('copyRow', logits.byteOffset, this.vocabSize);
    else this.#copy.set(logits);
    return this.maxima();
  }

  /** Makes sure that `values` is a copy. */
  own(): void {
    if (this.#values === this.#copy) return;
    const source = this.#valuesAt;
    this.#values = this.#copy;
    this.#valuesAt = this.at;
    this.run('copyRow', source, this.vocabSize);
  }

  get stepsAHalving(): number {
    return this.kernels.stepsAHalving(this.size);
  }

  allow(): void {
    this.run('allow');
  }

  listAtLeast(limit: number): number {
    return this.kernels.listAtLeast(this.#valuesAt, this.at, this.size, limit);
  }

  weightOf(halvings: number): number {
    return this.kernels.weightOf(halvings);
  }

  massBetween(from: number, to: number): number {
    return this.kernels.massBetween(this.at, this.size, from, to);
  }

  momentBetween(from: number, to: number): number {
    return this.kernels.momentBetween(this.at, this.size, from, to);
  }

  cutCounts(n: number): number {
    return this.kernels.cutCounts(this.at, this.size, n);
  }

  cutAround(middle: number, low: number, high: number, target: number): number {
    return this.kernels.cutAround(this.at, this.size, middle, low, high, target);
  }

  get before(): number {
    return this.kernels.before(this.at, this.size);
  }

  /** Runs a shared kernel over the row; returns in how many parts. */
  run(kernel: keyof SharedRowKernels, a = 0, b = 0, c = 0): number {
    const { args } = this.#threadGroup;
    args[0] = this.#valuesAt;
    args[1] = a;
    args[2] = b;
    args[3] = c;
    return this.#threadGroup.run(kernel);
  }

  /** The largest logit, with that of each block; NaN where one is NaN or +Infinity. */
  maxima(): number {
    const parts = this.run('maxima');
    let most = -Infinity;
    for (let part = 0; part < parts; part++) most = Math.max(most, this.#threadGroup.result(part));
    return most;
  }

  /** Sums for each block, made by the kernel, and these added in the order of blocks. */
  blockMasses(max: number, scale: number): number {
    this.run('blockMasses', max, scale);
    return this.kernels.sumOfBlocks(this.at, this.size);
  }

  /**
   * Counts tokens by how many steps they lie below `max`, but for blocks without a logit of `floor`; `scale`: steps a
   * logit. Returns how many weigh something, and the end of the buckets that are not empty.
   */
  fillBuckets(max: number, scale: number, floor: number): { tokens: number; end: number } {
    const parts = this.run('countBuckets', max, scale, floor);
    let tokens = 0;
    for (let part = 0; part < parts; part++) tokens += this.#threadGroup.result(part);
    return { tokens, end: this.kernels.joinBuckets(this.at, this.size, parts, tokens) };
  }

  /** Lists a bucket's tokens: `ids` in their order, and in `list` their steps. Returns how many there are. */
  listBucket(max: number, scale: number, bucket: number): number {
    const parts = this.run('listBucket', max, scale, bucket);
    let end = this.#threadGroup.result(0);
    for (let part = 1; part < parts; part++) {
      const from = firstBlock(this.size, part, parts) * ROW_BLOCK_TOKENS;
      const to = from + this.#threadGroup.result(part);
      this.ids.copyWithin(end, from, to);
      this.list.copyWithin(end, from, to);
      end += to - from;
    }
    return end;
  }
}

/** A row in a memory of its own, whose kernels run on this thread, in so many parts. */
export function createRow(vocabSize: number, parts = 1): Row {
  const bytes = rowBytes(vocabSize, parts);
  // The first page belongs to the kernels' constants.
  const pages = 1 + Math.ceil(bytes / PAGE_BYTES);
  const memory = createSharedMemory(pages, 'a row of logits');
  const place = placeRow(memory, PAGE_BYTES, vocabSize, parts);
  return new Row(place, memory.buffer, vocabSize, createLoneRowThread(place, parts));
}

/** One thread's view of the row beside a graph's logits. */
export function placeLogitRow({ vocabSize }: ComputeGraph, plan: MemoryPlan, segments: readonly Segment[]): RowMemory {
  const segment = present(plan.opSegments.at(-1), 'a graph ends with its logits');
  const at = present(plan.segments[segment], 'planned segment').row;
  const parts = rowParts(vocabSize, plan.capacity.threads);
  const { source, rowModule } = present(segments[segment], 'open segment');
  return placeRow(source, at, vocabSize, parts, rowModule);
}

/** The row at `at` in `memory`, as one thread sees it. */
function placeRow(
  memory: WebAssembly.Memory,
  at: number,
  vocabSize: number,
  parts: number,
  module?: WebAssembly.Module,
): RowMemory {
  const kernels = instantiateRowKernels(memory, module);
  const size = rowSize(vocabSize);
  assert(kernels.rowBytes(size, parts) === rowBytes(vocabSize, parts), 'kernels and plan agree on the size of a row');
  return { kernels, at, size };
}
