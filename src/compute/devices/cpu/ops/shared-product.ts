import { present } from '../../../../base/index.js';
import { paddedRows } from '../../../../weights/index.js';
import type { Projection } from '../../../ops/index.js';
import { EPILOGUE, isGate } from '../kernel-interface.js';
import type { ThreadView } from '../threads/thread-view.js';

/**
 * Multiplications from which on threads take a product's outputs in work chunks: one thread takes some 0.1 ms for so many, and
 * ten takes a microsecond.
 */
const CHUNKED_MULTIPLICATIONS = 2 ** 21;

/**
 * Runs `run` on ranges that are all of `units`, shared by the threads of the thread group: each its part, or work chunks where
 * there are many `multiplications`. All call it together, once between two barriers.
 */
export function shareUnits(
  view: ThreadView,
  units: number,
  multiplications: number,
  run: (start: number, end: number) => void,
): void {
  const { workChunks, threads } = view;
  if (workChunks === undefined || multiplications < CHUNKED_MULTIPLICATIONS * threads) {
    const { start, end } = view.share(units);
    if (start < end) run(start, end);
    return;
  }
  for (let start = workChunks.take(units, threads); start < units; start = workChunks.take(units, threads)) {
    run(start, workChunks.end);
  }
}

/** weights · prepared rows: all outputs, shared by the threads of the thread group, which call it together, once between two barriers. */
export type SharedProduct = (out: number, outStride: number, input: number, rows: number) => void;

/** Binds the product with a matrix for one thread; float weights read f32 rows, `stride` bytes apart. */
export function sharedProduct(
  view: ThreadView,
  segment: number,
  { weight, bias, epilogue }: Projection & { readonly epilogue: keyof typeof EPILOGUE },
  stride: number,
): SharedProduct {
  const tensors = view.panels(weight);
  const outputs = present(tensors[0], 'a product has weights').rows;
  const multiplications = tensors.reduce((sum, { columns }) => sum + outputs * columns, 0);
  // A group of gate and its group of up stay together.
  const unit = isGate(EPILOGUE[epilogue]) ? 2 : 1;
  const units = paddedRows(outputs) / 8 / unit;
  const multiply = view.multiply(segment, weight, bias, epilogue, stride);
  return (out, outStride, input, rows) => {
    shareUnits(view, units, rows * multiplications, (start, end) => {
      multiply(out, outStride, input, rows, start * unit, end * unit);
    });
  };
}
