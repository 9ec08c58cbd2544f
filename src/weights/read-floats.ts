import { AppError } from '../base/index.js';
import { bf16ArrayToF32, f16ArrayToF32 } from './floats.js';
import { readExactly } from './read-exactly.js';
import type { ReadableFile } from './readable-file.js';

/** Bytes of one number of the types that `readPlainFloats` reads. */
export const plainFloatBytes: ReadonlyMap<string, number> = new Map([
  ['F16', 2],
  ['BF16', 2],
  ['F32', 4],
  ['F64', 8],
]);

/** Fills `out` with numbers of `dtype`, which lie from `position` of `file` on. Errors: `checkpoint_invalid`. */
export async function readPlainFloats(
  file: ReadableFile,
  fileName: string,
  dtype: string,
  position: number,
  out: Float32Array,
): Promise<void> {
  const bytes = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
  if (dtype === 'F32') return readExactly(file, bytes, position, fileName);
  if (dtype !== 'F64') {
    // Halves go to the back of `out` and are widened from the front: a write never passes what is still to be read.
    const halves = bytes.subarray(bytes.length / 2);
    await readExactly(file, halves, position, fileName);
    const source = new Uint16Array(halves.buffer, halves.byteOffset, out.length);
    return dtype === 'BF16' ? bf16ArrayToF32(source, out) : f16ArrayToF32(source, out);
  }
  const doubles = new Float64Array(Math.min(out.length, 65_536));
  for (let start = 0; start < out.length; start += doubles.length) {
    const piece = doubles.subarray(0, out.length - start);
    const raw = new Uint8Array(piece.buffer, 0, piece.byteLength);
    await readExactly(file, raw, position + start * 8, fileName);
    out.set(piece, start);
  }
}

/** Refuses NaN and infinity in `values`, which begin at `startElement` of tensor `name`. Errors: `weight_not_finite`. */
export function checkFinite(name: string, startElement: number, values: Float32Array): void {
  // A finite x minus itself is 0, any other is NaN: one sum answers for all.
  let poison = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    poison += value - value;
  }
  if (poison === 0) return;
  const at = values.findIndex((value) => !Number.isFinite(value));
  const where = startElement + at;
  throw new AppError('weight_not_finite', `tensor "${name}" holds ${values[at]} at element ${where}`, {
    tensor: name,
    element: where,
  });
}
