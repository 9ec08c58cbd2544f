// What holds for every model, held to families and quants that most suites do not run: odd shapes throughout.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBatch } from '../../src/compute/index.js';
import type { QuantName } from '../../src/weights/index.js';
import { MIXED_KINDS, mixKinds } from '../support/mixed-kinds.js';
import {
  createTinyModel,
  distinctFamilies,
  TINY_GEMMA3,
  type TinyModel,
  type TinyOptions,
} from '../support/tiny-model.js';
import { startTinyThreadGroup } from '../support/tiny-thread-group.js';
import { mixes, runAlone, runMix } from './mixes.js';

const ROWS = 75;

/** More than a super-block of 256, and no multiple of one. */
const wide = { hidden_size: 296, intermediate_size: 340, num_hidden_layers: 2 };

const kinds: readonly (readonly [string, TinyOptions])[] = [
  ...(['f32', 'q8', 'q4k'] as const).map(
    (quant) => [`all kinds of state in ${quant}`, { quant, config: MIXED_KINDS, change: mixKinds }] as const,
  ),
  ...(['f32', 'q4k', 'q6k'] as const).map((quant) => [`gemma3 in ${quant}`, { quant, config: TINY_GEMMA3 }] as const),
  ...distinctFamilies.flatMap(([name, config]) => [
    [`${name} in q8`, { quant: 'q8', config }] as const,
    ...('num_experts' in config ? [[`${name} in f32`, { quant: 'f32', config }] as const] : []),
  ]),
  ...(['q5', 'q5m', 'q4k', 'q5k', 'q6k'] as const).map(
    (quant: QuantName) => [`qwen3 in ${quant}`, { quant, config: wide }] as const,
  ),
];

/** Whether a kind stands for its family, and not for another quant of it. */
function isFamily({ quant, config }: TinyOptions): boolean {
  return quant === 'q8' || (quant === 'f32' && (config === MIXED_KINDS || config === TINY_GEMMA3));
}

/** Logits of every row, f32 [ROWS, vocabSize], when `together` rows go in a step. */
function logitsOf({ device, graph }: TinyModel, together: number): Float32Array {
  const batch = createBatch(device.plan);
  const blocks = [3, 1, 4];
  batch.blockTables = [blocks];
  batch.states = [0];
  device.copyState(undefined, 0);
  const logits = new Float32Array(ROWS * graph.vocabSize);
  for (let start = 0; start < ROWS; start += together) {
    batch.rows = Math.min(together, ROWS - start);
    for (let row = 0; row < batch.rows; row++) {
      const position = start + row;
      batch.tokenIds[row] = (position * 31) % graph.vocabSize;
      batch.positions[row] = position;
      batch.slots[row] = (blocks[position >> 5] ?? 0) * 32 + (position & 31);
      batch.logitRows[row] = row;
    }
    batch.numLogitRows = batch.rows;
    device.run(batch);
    for (let row = 0; row < batch.rows; row++) logits.set(device.logits(row), (start + row) * graph.vocabSize);
  }
  return logits;
}

/** Logits as bits: comparing numbers one by one takes longer than computing them. */
const bitsOf = (logits: Float32Array): Buffer => Buffer.from(logits.buffer);

const capacity = { maxSequences: 64, kvBlocks: 40 };

describe.each(kinds)('%s', (_, options) => {
  let model: TinyModel;
  /** Its logits when all rows go in two steps. */
  let whole: Float32Array;
  beforeAll(async () => {
    model = await createTinyModel({ ...options, capacity });
    whole = logitsOf(model, 64);
  });

  it('gives the same bits in a prefill, in parts of it and token by token', () => {
    expect(whole.every(Number.isFinite)).toBe(true);
    for (const together of [1, 7, 40]) expect(bitsOf(logitsOf(model, together)).equals(bitsOf(whole))).toBe(true);
  });

  it('gives the same bits in several segments', async () => {
    const bytes = model.plan.segments[0]?.bytes ?? 0;
    const segments = { ...capacity, segmentBytes: bytes - 4096 };
    const several = await createTinyModel({ ...options, capacity: segments, weightsOf: model });
    expect(several.plan.segments.length).toBeGreaterThan(1);
    expect(bitsOf(logitsOf(several, 64)).equals(bitsOf(whole))).toBe(true);
  });

  it('computes what the reference computes', async () => {
    const reference = await createTinyModel({ ...options, capacity, kernels: 'reference', weightsOf: model });
    const expected = logitsOf(reference, 64);
    const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    // An activation between two integers may be rounded to either, and a near choice of experts turn.
    const rounded = options.config !== undefined && 'num_experts' in options.config ? 1e-1 : 2e-2;
    const tolerance = options.quant === 'f32' ? 1e-4 : rounded;
    const apart = whole.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? 0))), 0);
    expect(apart).toBeLessThan(tolerance * largest);
  });

  it('gives a sequence what it has alone, in random mixes', async () => {
    const few = { ...options, capacity: { kvBlocks: 12 }, weightsOf: model };
    // How threads share a matrix does not depend on its quant: a thread group for each family.
    await using threadGroup = isFamily(options) ? await startTinyThreadGroup(few) : undefined;
    const crowd = threadGroup ?? (await createTinyModel(few));
    fc.assert(
      fc.property(mixes(12), (mix) => {
        expect(runMix(crowd, mix, () => {})).toEqual(runAlone(model, mix));
      }),
      { numRuns: 2 },
    );
  });
});
