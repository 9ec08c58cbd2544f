import { paddedRows } from '../weights/index.js';
import type { EPILOGUE } from './ops.js';
import type { ThreadView } from './thread-view.js';

/**
 * Multiplications from which on threads claim a product's outputs in pieces: one thread takes some 0.1 ms for so many, and
 * ten claims a microsecond.
 */
const CLAIMED_MULTIPLICATIONS = 2 ** 21;

/** weight · prepared rows: all outputs, shared by the threads of the team, which call it together, once between two barriers. */
export type SharedProduct = (out: number, outStride: number, input: number, rows: number) => void;

/** Binds the product with `weight` for one thread; float weights read f32 rows, `stride` bytes apart. */
export function sharedProduct(
  view: ThreadView,
  bank: number,
  {
    weight,
    bias,
    epilogue,
  }: { readonly weight: string; readonly bias?: string; readonly epilogue: keyof typeof EPILOGUE },
  stride: number,
): SharedProduct {
  const { claims, threads } = view;
  const { rows: outputs, columns } = view.tensor(weight);
  // A group of gate and its group of up stay together.
  const unit = epilogue === 'gate' ? 2 : 1;
  const units = paddedRows(outputs) / 8 / unit;
  const mine = view.share(units);
  const multiply = view.multiply(bank, weight, bias, epilogue, stride);
  return (out, outStride, input, rows) => {
    if (claims === undefined || rows * columns * outputs < CLAIMED_MULTIPLICATIONS * threads) {
      multiply(out, outStride, input, rows, mine.start * unit, mine.end * unit);
      return;
    }
    for (let start = claims.take(units, threads); start < units; start = claims.take(units, threads)) {
      multiply(out, outStride, input, rows, start * unit, claims.end * unit);
    }
  };
}
