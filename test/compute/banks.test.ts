import { describe, expect, it } from 'vitest';
import { createBatch, type Capacity, type MemoryPlan } from '../../src/compute/index.js';
import { createTinyModel, planTinyModel, type TinyModel } from '../support/tiny-model.js';

const ROWS = 40;
const TIED = [true, false];

/** Every way of distributing the model that a bank size gives, from the smallest bank that holds one op. */
function plansBySize(tied: boolean): { bankBytes: number; plan: MemoryPlan }[] {
  const plans: { bankBytes: number; plan: MemoryPlan }[] = [];
  let before = '';
  for (let bankBytes = 480_000; plans.at(-1)?.plan.banks.length !== 1; bankBytes += 4096) {
    const plan = tryPlan(tied, { bankBytes, kvBlocks: 40 });
    if (plan === undefined) {
      expect(plans, `banks of ${bankBytes} bytes hold less than smaller ones`).toEqual([]);
      continue;
    }
    for (const { bytes } of plan.banks) expect(bytes).toBeLessThanOrEqual(bankBytes);
    if (plan.opBanks.join() !== before) plans.push({ bankBytes, plan });
    before = plan.opBanks.join();
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
function logitsOf({ device, program }: TinyModel): Float32Array[] {
  const batch = createBatch(device.plan);
  const run = (from: number, to: number, blocks: readonly number[]): Float32Array => {
    batch.rows = to - from;
    for (let row = 0; row < batch.rows; row++) {
      const position = from + row;
      batch.tokenIds[row] = (position * 31) % program.vocabSize;
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

describe('several banks', () => {
  it.each(TIED)('hold a model wherever one ends and the next begins (tied: %s)', (tied) => {
    const plans = plansBySize(tied);
    expect(plans.length).toBeGreaterThan(8);
    const first = plans[0]?.plan;
    expect(first?.banks.length).toBeGreaterThan(5);
    for (const { plan } of plans) expect(plan.opBanks.at(-1) === plan.opBanks[0]).toBe(tied || plan.banks.length === 1);
  });

  it.each(TIED)('give the bits of one bank (tied: %s)', async (tied) => {
    const config = { tie_word_embeddings: tied };
    const expected = logitsOf(await createTinyModel({ config, capacity: { kvBlocks: 40 } }));
    for (const { bankBytes } of plansBySize(tied)) {
      const model = await createTinyModel({ config, capacity: { kvBlocks: 40, bankBytes } });
      expect(logitsOf(model), `banks of ${bankBytes} bytes`).toEqual(expected);
    }
  });
});
