import * as fc from 'fast-check';
import { AppError } from '../../src/base/index.js';
import { parseGgufHeader } from '../../src/weights/index.js';
import { sampleFile } from './gguf-file.js';

/** Values that break arithmetic where a count, a size or an offset stands. */
const numbers = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];

const change = fc.oneof(
  fc.record({ kind: fc.constant('u64' as const), at: fc.nat(), by: fc.constantFrom(...numbers) }),
  fc.record({ kind: fc.constant('u32' as const), at: fc.nat(), by: fc.constantFrom(...numbers) }),
  fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), by: fc.bigInt(0n, 255n) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), by: fc.constant(0n) }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(), by: fc.constant(0n) }),
);

function apply(file: Buffer, { kind, at, by }: { kind: string; at: number; by: bigint }): Buffer {
  const place = at % file.length;
  const changed = Buffer.from(file);
  if (kind === 'cut') return changed.subarray(0, Math.max(1, place));
  if (kind === 'repeat') return Buffer.concat([changed, changed.subarray(place)]);
  if (kind === 'byte') changed.writeUInt8(Number(by), place);
  if (kind === 'u32' && place + 4 <= file.length) changed.writeUInt32LE(Number(by & 0xffff_ffffn), place);
  if (kind === 'u64' && place + 8 <= file.length) changed.writeBigUInt64LE(by, place);
  return changed;
}

/**
 * Mutates a file `numRuns` times: each is refused with `checkpoint_invalid`, or read into tensors that lie in the file.
 * Returns how many were read.
 */
export function mutateGgufs(numRuns: number): number {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const file = changes.reduce(apply, sampleFile);
      try {
        const { tensors } = parseGgufHeader(file, file.length, 'mutated');
        accepted++;
        return tensors.every(({ position, sizeBytes }) => position >= 0 && position + sizeBytes <= file.length);
      } catch (error) {
        return error instanceof AppError && error.code === 'checkpoint_invalid';
      }
    }),
    { numRuns },
  );
  return accepted;
}
