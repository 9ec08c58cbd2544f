import type { WeightSpec } from '../model/index.js';
import type { TensorSource } from '../weights/index.js';
import { tensorMismatch } from './errors.js';

// Tensors of checkpoints that no forward pass reads: rope's frequencies, a copy of the tied embedding.
const UNREAD = /(^|\.)rotary_emb\.inv_freq$|^lm_head\.weight$/;

/**
 * Checks the tensors of a checkpoint. Every tensor of the weight table must exist with exactly its shape and a
 * supported type. Further tensors are refused: ignoring them would silently change the mathematics. Errors:
 * `unsupported_dtype`, `checkpoint_mismatch`.
 */
export function checkTensors(specs: readonly WeightSpec[], source: TensorSource): void {
  const expected = expectedShapes(specs);
  const isFree = new Set(specs.flatMap(({ shape, sources }) => (shape ? sources.map(({ tensor }) => tensor) : [])));
  for (const [name, shape] of expected) {
    const tensor = source.tensors.get(name);
    const wanted = `[${shape.join(', ')}]`;
    if (tensor === undefined) throw tensorMismatch(name, `is missing; config.json implies it with shape ${wanted}`);
    if (tensor.shape.join() !== shape.join() && (!isFree.has(name) || toDense(tensor.shape) !== toDense(shape))) {
      throw tensorMismatch(name, `has shape [${tensor.shape.join(', ')}]; config.json implies ${wanted}`);
    }
  }
  for (const name of source.tensors.keys()) {
    if (!expected.has(name) && !UNREAD.test(name)) {
      throw tensorMismatch(name.slice(0, 200), 'is in the checkpoint, but config.json implies no such tensor');
    }
  }
  for (const name of expected.keys()) source.checkReadable(name);
}

/** The shape of each source tensor: rows up to the last one in use, and the columns of its matrix. */
function expectedShapes(specs: readonly WeightSpec[]): Map<string, number[]> {
  const shapes = new Map<string, number[]>();
  for (const { kind, columns, sources, shape: own } of specs) {
    for (const { tensor, start, count } of sources) {
      if (own !== undefined) {
        shapes.set(tensor, [...own]);
        continue;
      }
      const end = start + count;
      const shape = shapes.get(tensor);
      // A matrix of experts has thousands of sources.
      if (shape === undefined) shapes.set(tensor, kind === 'matrix' ? [end, columns] : [end]);
      else if (end > (shape[0] ?? 0)) shape[0] = end;
    }
  }
  return shapes;
}

/** A shape without its dimensions of 1. */
function toDense(shape: readonly number[]): string {
  return shape.filter((size) => size !== 1).join();
}
