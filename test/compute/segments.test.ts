import { describe, expect, it } from 'vitest';
import { type Capacity, type MemoryPlan } from '../../src/compute/devices/cpu/index.js';
import { createBatch } from '../../src/compute/index.js';
import { createTinyModel, planTinyModel, type TinyModel } from '../support/tiny-model.js';

const ROWS = 40;
const TIED = [true, false];

/** Every way of distributing the model that a segment size gives, from the smallest segment that holds one op. */
function plansBySize(tied: boolean): { segmentBytes: number; plan: MemoryPlan }[] {
  const plans: { segmentBytes: number; plan: MemoryPlan }[] = [];
  let before = '';
  for (let segmentBytes = 480_000; plans.at(-1)?.plan.segments.length !== 1; segmentBytes += 4096) {
    const plan = tryPlan(tied, { segmentBytes, kvBlocks: 40 });
    if (plan === undefined) {
      expect(plans, `segments of ${segmentBytes} bytes hold less than smaller ones`).toEqual([]);
      continue;
    }
    for (const { bytes } of plan.segments) expect(bytes).toBeLessThanOrEqual(segmentBytes);
    if (plan.opSegments.join() !== before) plans.push({ segmentBytes, plan });
    before = plan.opSegments.join();
  }
  return plans;
}

function tryPlan(tied: boolean, capacity: Partial<Capacity>): MemoryPlan | undefined {
  try {
    return planTinyModel({ config: { tie_word_embeddings: tied }, capacity }).plan;
  } catch (error) {
    expect(error).toMatchObject({ code: 'out_of_memory' });
    return undefined;
  }
}

/** Logits of the last row of a prefill, of a decode after it, and of one in a copied block: their bits. */
function logitsOf({ device, graph }: TinyModel): Float32Array[] {
  const batch = createBatch(device.plan);
  const run = (from: number, to: number, blocks: readonly number[]): Float32Array => {
    batch.rows = to - from;
    for (let row = 0; row < batch.rows; row++) {
      const position = from + row;
      batch.tokenIds[row] = (position * 31) % graph.vocabSize;
      batch.positions[row] = position;
      batch.slots[row] = (blocks[position >> 5] ?? 0) * 32 + (position & 31);
    }
    batch.blockTables = [blocks];
    batch.logitRows[0] = batch.rows - 1;
    batch.numLogitRows = 1;
    device.run(batch);
    return device.logits(0).slice();
  };
  const logits = [run(0, ROWS, [3, 1]), run(ROWS, ROWS + 1, [3, 1])];
  device.copyBlock(1, 7);
  return [...logits, run(ROWS + 1, ROWS + 2, [3, 7]), device.hidden(0).slice()];
}

describe('several segments', () => {
  it.each(TIED)('hold a model wherever one ends and the next begins (tied: %s)', (tied) => {
    const plans = plansBySize(tied);
    expect(plans.length).toBeGreaterThan(8);
    const first = plans[0]?.plan;
    expect(first?.segments.length).toBeGreaterThan(5);
    for (const { plan } of plans)
      expect(plan.opSegments.at(-1) === plan.opSegments[0]).toBe(tied || plan.segments.length === 1);
  });

  it.each(TIED)('give the bits of one segment (tied: %s)', async (tied) => {
    const config = { tie_word_embeddings: tied };
    const expected = logitsOf(await createTinyModel({ config, capacity: { kvBlocks: 40 } }));
    for (const { segmentBytes } of plansBySize(tied)) {
      const model = await createTinyModel({ config, capacity: { kvBlocks: 40, segmentBytes } });
      expect(logitsOf(model), `segments of ${segmentBytes} bytes`).toEqual(expected);
    }
  });
});
