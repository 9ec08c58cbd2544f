import * as fc from 'fast-check';
import { AppError } from '../../src/base/index.js';
import { blockDecoders } from '../../src/weights/gguf/block-decoders/index.js';
import { blockTypes } from '../../src/weights/gguf/block-types.js';
import { parseGgufHeader, quantOf, repackers } from '../../src/weights/index.js';
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

/** What a run of mutations came to. */
export interface MutationReport {
  /** Files that were read, and not refused. */
  readonly accepted: number;
  /** The longest that one took, and the most memory that one took beyond twice its size. */
  readonly slowestMs: number;
  readonly mostBytes: number;
}

/**
 * Mutates a file `numRuns` times: each is refused with `checkpoint_invalid`, or read into tensors that lie in the file.
 */
export function mutateGgufs(numRuns: number): MutationReport {
  let accepted = 0;
  let slowestMs = 0;
  let mostBytes = 0;
  const isSound = (file: Buffer): boolean => {
    try {
      const { tensors } = parseGgufHeader(file, file.length, 'mutated');
      accepted++;
      return tensors.every(({ position, sizeBytes }) => position >= 0 && position + sizeBytes <= file.length);
    } catch (error) {
      return error instanceof AppError && error.code === 'checkpoint_invalid';
    }
  };
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const file = changes.reduce(apply, sampleFile);
      const before = bytesInUse();
      const startMs = performance.now();
      const result = isSound(file);
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
      // Less than before where garbage was collected meanwhile.
      mostBytes = Math.max(mostBytes, bytesInUse() - before - 2 * file.length);
      return result;
    }),
    { numRuns },
  );
  return { accepted, slowestMs, mostBytes };
}

function bytesInUse(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * Decodes and repacks `numRuns` blocks of random bytes of each type: all numbers are written, none beside them, and what is
 * not finite is refused by name.
 */
export function mutateBlocks(numRuns: number): void {
  const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
  for (const { name, blockSize, blockBytes } of blockTypes.values()) {
    const decode = blockDecoders.get(name);
    if (decode === undefined) continue;
    const values = new Float32Array(blockSize + 1);
    const repacker = repackers.get(name);
    fc.assert(
      fc.property(seeds, (seed) => {
        const bytes = randomBytes(8 * blockBytes, seed);
        values.fill(42);
        return refusesOnlyInfinities(() => decode(bytes, blockBytes, values)) && values[blockSize] === 42;
      }),
      { numRuns },
    );
    if (repacker === undefined) continue;
    const columns = quantOf(repacker.quant).blockColumns;
    const width = repacker.rowBytes(columns);
    const packed = new Uint8Array(quantOf(repacker.quant).groupBytes(columns));
    fc.assert(
      fc.property(seeds, (seed) =>
        refusesOnlyInfinities(() => repacker.repackGroup(randomBytes(8 * width, seed), columns, packed)),
      ),
      { numRuns },
    );
  }
}

function refusesOnlyInfinities(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    return error instanceof AppError && error.code === 'weight_not_finite';
  }
}

/** Bytes of a linear congruential generator (Numerical Recipes). */
function randomBytes(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}
