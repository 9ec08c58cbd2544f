import { alignUp } from '../../../../base/index.js';

/** The first page of a segment belongs to the kernels: their constants (kernels-as/). */
export const RESERVED_BYTES = 65_536;

/** Hands out ranges of a memory, one after the other. */
export class Layout {
  /** A page: the artifact's alignment, and enough for every vector load. */
  static readonly ALIGNMENT = 4096;

  #bytes = RESERVED_BYTES;

  /** Start of the next range: the size of the memory so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The offset of a new range of `sizeBytes`. */
  take(sizeBytes: number): number {
    const offset = this.#bytes;
    this.#bytes = alignUp(offset + sizeBytes, Layout.ALIGNMENT);
    return offset;
  }
}
