import type { CacheNode } from './prefix-cache.js';

/** Copies states of fixed size from slot to slot; from undefined: those before the first token. */
export type CopyState = (from: number | undefined, to: number) => void;

/**
 * The slots for sequences' states of fixed size. A running sequence has one; the others hold checkpoints, which are the states
 * at the ends of cached blocks. The least recently used checkpoint gives its slot up when none is free.
 */
export class StateSlots {
  readonly #copy: CopyState;
  readonly #free: number[];
  /** The slot of each checkpoint; a Map keeps the order of their use. */
  readonly #checkpoints = new Map<CacheNode, number>();

  constructor(size: number, copy: CopyState) {
    this.#copy = copy;
    this.#free = Array.from({ length: size }, (_, i) => size - 1 - i);
  }

  /** A slot with the state at the end of the checkpoint `from`, or before the first token. Undefined: sequences have all. */
  open(from: CacheNode | undefined): number | undefined {
    const source = from === undefined ? undefined : this.#checkpoints.get(from);
    if (from !== undefined && source !== undefined) this.keep(from, source);
    const slot = this.take(source);
    if (slot !== undefined) this.#copy(source, slot);
    return slot;
  }

  /** A slot to be written whole. Undefined: sequences have all but `except`. */
  take(except?: number): number | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    for (const [node, slot] of this.#checkpoints) {
      if (slot === except) continue;
      this.#checkpoints.delete(node);
      return slot;
    }
    return undefined;
  }

  release(slot: number): void {
    this.#free.push(slot);
  }

  has(node: CacheNode): boolean {
    return this.#checkpoints.has(node);
  }

  /** The slot becomes the checkpoint at `node`, the most recently used one. */
  keep(node: CacheNode, slot: number): void {
    const earlier = this.#checkpoints.get(node);
    this.#checkpoints.delete(node);
    this.#checkpoints.set(node, slot);
    if (earlier !== undefined && earlier !== slot) this.release(earlier);
  }

  /** Removes a checkpoint, if it is there. */
  forget(node: CacheNode): void {
    const slot = this.#checkpoints.get(node);
    if (slot === undefined) return;
    this.#checkpoints.delete(node);
    this.release(slot);
  }
}
