import { type CompiledGrammar } from '../compile/index.js';

/** Entries of the dense table of transitions, at most: 4 MB. Beyond that edges are searched. */
const MAX_DENSE = 1 << 20;

/** A compiled grammar with the bytes that it tells apart. */
export class Reader {
  readonly grammar: CompiledGrammar;
  /** [256]: the class of each byte. */
  readonly classOf: Uint8Array;
  readonly numClasses: number;
  /** [classes]: the first byte of each. */
  readonly byteOf: Uint8Array;
  /** [classes]: how many bytes are of it. */
  readonly sizeOf: Uint16Array;
  readonly numStates: number;
  readonly numRules: number;
  /** [states, classes]: the state that follows, or -1. */
  readonly #dense: Int32Array | undefined;

  constructor(grammar: CompiledGrammar) {
    this.grammar = grammar;
    const { edgeBytes, ruleStates, accepting } = grammar;
    this.numStates = accepting.length;
    this.numRules = ruleStates.length - 1;
    const kinds = classify(edgeBytes);
    this.classOf = kinds.classOf;
    this.numClasses = kinds.firsts.length;
    this.byteOf = Uint8Array.from(kinds.firsts);
    this.sizeOf = new Uint16Array(this.numClasses);
    for (const kind of this.classOf) this.sizeOf[kind] = (this.sizeOf[kind] as number) + 1;
    this.#dense = this.numStates * this.numClasses <= MAX_DENSE ? this.#fill() : undefined;
  }

  /** The state that a byte of the class leads to, or -1. */
  next(state: number, byteClass: number): number {
    if (this.#dense !== undefined) return this.#dense[state * this.numClasses + byteClass] as number;
    const { edgeOffsets, edgeBytes, edgeTargets } = this.grammar;
    const byte = this.byteOf[byteClass] as number;
    let low = edgeOffsets[state] as number;
    let high = edgeOffsets[state + 1] as number;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((edgeBytes[2 * middle + 1] as number) < byte) low = middle + 1;
      else high = middle;
    }
    const isHit = low < (edgeOffsets[state + 1] as number) && (edgeBytes[2 * low] as number) <= byte;
    return isHit ? (edgeTargets[low] as number) : -1;
  }

  /** Whether the state reads bytes itself. */
  hasEdges(state: number): boolean {
    const { edgeOffsets } = this.grammar;
    return edgeOffsets[state] !== edgeOffsets[state + 1];
  }

  #fill(): Int32Array {
    const { edgeOffsets, edgeBytes, edgeTargets } = this.grammar;
    const dense = new Int32Array(this.numStates * this.numClasses).fill(-1);
    for (let state = 0; state < this.numStates; state++) {
      for (let edge = edgeOffsets[state] as number; edge < (edgeOffsets[state + 1] as number); edge++) {
        const last = edgeBytes[2 * edge + 1] as number;
        for (let byte = edgeBytes[2 * edge] as number; byte <= last; byte++) {
          dense[state * this.numClasses + (this.classOf[byte] as number)] = edgeTargets[edge] as number;
        }
      }
    }
    return dense;
  }
}

/** Bytes are of one class where no edge tells them apart. Classes are ranges, and one for all that no edge reads. */
function classify(edgeBytes: Uint8Array): { classOf: Uint8Array; firsts: number[] } {
  const begins = new Uint8Array(257);
  const depth = new Int32Array(257);
  for (let i = 0; i < edgeBytes.length; i += 2) {
    const first = edgeBytes[i] as number;
    const end = (edgeBytes[i + 1] as number) + 1;
    begins[first] = begins[end] = 1;
    depth[first] = (depth[first] as number) + 1;
    depth[end] = (depth[end] as number) - 1;
  }
  const classOf = new Uint8Array(256);
  const firsts: number[] = [];
  let unread = -1;
  let covered = 0;
  for (let byte = 0; byte < 256; byte++) {
    covered += depth[byte] as number;
    if (covered === 0) {
      if (unread === -1) unread = firsts.push(byte) - 1;
      classOf[byte] = unread;
    } else if (begins[byte] === 1 || firsts.length === 0 || classOf[byte - 1] === unread) {
      classOf[byte] = firsts.push(byte) - 1;
    } else classOf[byte] = classOf[byte - 1] as number;
  }
  return { classOf, firsts };
}
