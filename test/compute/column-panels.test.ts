import { beforeAll, describe, expect, it } from 'vitest';
import { type Capacity } from '../../src/compute/devices/cpu/index.js';
import { createBatch } from '../../src/compute/index.js';
import { ROW_TILE } from '../../src/compute/devices/cpu/memory/memory-plan.js';
import type { QuantName } from '../../src/weights/index.js';
import { createTinyModel, planTinyModel, type TinyModel, type TinyOptions } from '../support/tiny-model.js';
import { startTinyThreadGroup } from '../support/tiny-thread-group.js';

// Three panels of what goes down, the last of which is no multiple of 32, and two of what attention gives; all with a bias.
const WIDE = {
  model_type: 'llama',
  attention_bias: true,
  mlp_bias: true,
  intermediate_size: 4100,
  num_attention_heads: 32,
  head_dim: 104,
  num_hidden_layers: 2,
  max_position_embeddings: 512,
};
/** A tile and some rows, which fill all memory that there is for rows. */
const ROWS = ROW_TILE + 8;
/** Rows whose logits are compared. */
const LAST = 16;

function optionsOf(quant: QuantName, capacity: Partial<Capacity> = {}): TinyOptions {
  return { quant, config: WIDE, capacity: { maxRows: ROWS, kvBlocks: 16, ...capacity } };
}

/** Logits of `rows` rows from position `from` on, those of the last few. */
function logitsOf({ device, graph }: TinyModel, from: number, rows: number): Float32Array[] {
  const batch = createBatch(device.plan);
  batch.rows = rows;
  batch.numLogitRows = Math.min(rows, LAST);
  for (let row = 0; row < rows; row++) {
    const position = from + row;
    batch.tokenIds[row] = (position * 31) % graph.vocabSize;
    batch.positions[row] = batch.slots[row] = position;
  }
  for (let i = 0; i < batch.numLogitRows; i++) batch.logitRows[i] = rows - batch.numLogitRows + i;
  batch.blockTables = [Array.from({ length: 16 }, (_, block) => block)];
  device.run(batch);
  return Array.from({ length: batch.numLogitRows }, (_, i) => device.logits(i).slice());
}

/** Logits of the last rows, computed in steps of so many. */
function inSteps(model: TinyModel, rows: number, all = 48): Float32Array[] {
  const steps: Float32Array[] = [];
  for (let from = 0; from < all; from += rows) steps.push(...logitsOf(model, from, Math.min(rows, all - from)));
  return steps.slice(-LAST);
}

const bitsOf = (rows: readonly Float32Array[]): Buffer => Buffer.concat(rows.map(({ buffer }) => Buffer.from(buffer)));

function numPanels({ plan }: TinyModel): number {
  return Object.keys(plan.tensors).filter((name) => /\.\d+$/.test(name)).length;
}

describe.each(['f32', 'q8', 'q4'] as const)('a model with matrices in panels, in %s', (quant) => {
  let panelled: TinyModel;
  beforeAll(async () => {
    panelled = await createTinyModel(optionsOf(quant));
  });

  it('computes what it does with whole ones', async () => {
    const whole = await createTinyModel({ ...optionsOf(quant), isWhole: true });
    expect([numPanels(panelled), numPanels(whole)]).toEqual([2 * 5, 0]);
    const expected = logitsOf(whole, 0, ROWS);
    const largest = Math.max(...expected.flatMap((logits) => [...logits].map(Math.abs)));
    for (const [row, logits] of logitsOf(panelled, 0, ROWS).entries()) {
      const off = Math.max(...logits.map((value, i) => Math.abs(value - (expected[row]?.[i] ?? Number.NaN))));
      // The sums of the panels are added in another order; where rows are int8, a value may then be rounded to its neighbour.
      expect(off / largest, `row ${row}`).toBeLessThan(quant === 'f32' ? 1e-5 : 0.02);
    }
  });

  it('gives a row the bits that it has alone, on one thread, on several, and in several segments', async () => {
    const alone = bitsOf(inSteps(panelled, 1));
    const bytes = planTinyModel(optionsOf(quant)).plan.segments[0]?.bytes ?? 0;
    const spread = await createTinyModel({
      ...optionsOf(quant, { segmentBytes: bytes - 4096 }),
      weightsOf: panelled,
    });
    expect(spread.plan.segments).toHaveLength(2);
    expect(bitsOf(inSteps(spread, 5)).equals(alone)).toBe(true);
    await using threadGroup = await startTinyThreadGroup({ ...optionsOf(quant), threads: 2, weightsOf: panelled });
    for (const rows of [1, 3, 48]) expect(bitsOf(inSteps(threadGroup, rows)).equals(alone), `${rows} rows`).toBe(true);
  });
});
