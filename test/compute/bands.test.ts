import { describe, expect, it } from 'vitest';
import { createBatch } from '../../src/compute/index.js';
import type { QuantName } from '../../src/weights/index.js';
import { createTinyModel, type TinyModel, type TinyOptions } from '../support/tiny-model.js';
import { startTinyTeam } from '../support/tiny-team.js';

const ROWS = 40;
// Three bands of what goes down, the last of which is no multiple of 32, and two of what attention gives.
const WIDE = { intermediate_size: 4100, num_attention_heads: 32, head_dim: 104, num_hidden_layers: 2 };

function optionsOf(quant: QuantName): TinyOptions {
  return { quant, config: WIDE };
}

/** Logits of `rows` rows from position `from` on. */
function logitsOf({ device, program }: TinyModel, from: number, rows: number): Float32Array[] {
  const batch = createBatch(device.plan);
  batch.rows = batch.numLogitRows = rows;
  for (let row = 0; row < rows; row++) {
    const position = from + row;
    batch.tokenIds[row] = (position * 31) % program.vocabSize;
    batch.positions[row] = batch.slots[row] = position;
    batch.logitRows[row] = row;
  }
  batch.blockTables = [[0, 1]];
  device.run(batch);
  return Array.from({ length: rows }, (_, i) => device.logits(i).slice());
}

/** All rows, in steps of so many. */
function inSteps(model: TinyModel, rows: number): Float32Array[] {
  const steps: Float32Array[] = [];
  for (let from = 0; from < ROWS; from += rows) steps.push(...logitsOf(model, from, Math.min(rows, ROWS - from)));
  return steps;
}

describe.each(['f32', 'q8', 'q4'] as const)('a model with matrices in bands, in %s', (quant) => {
  it('computes what it does with whole ones', async () => {
    const banded = await createTinyModel(optionsOf(quant));
    const whole = await createTinyModel({ ...optionsOf(quant), isWhole: true });
    expect(Object.keys(banded.plan.tensors).filter((name) => /\.\d+$/.test(name))).toHaveLength(2 * 5);
    expect(Object.keys(whole.plan.tensors).filter((name) => /\.\d+$/.test(name))).toHaveLength(0);
    const expected = inSteps(whole, 8);
    const largest = Math.max(...expected.flatMap((logits) => [...logits].map(Math.abs)));
    for (const [row, logits] of inSteps(banded, 8).entries()) {
      const off = Math.max(...logits.map((value, i) => Math.abs(value - (expected[row]?.[i] ?? Number.NaN))));
      // The sums of the bands are added in another order; with an int8 cache a value may then be rounded to its neighbour.
      expect(off / largest, `row ${row}`).toBeLessThan(quant === 'f32' ? 1e-5 : 0.02);
    }
  });

  it('gives a row the bits that it has alone, on one thread and on several', async () => {
    const options = optionsOf(quant);
    const alone = inSteps(await createTinyModel(options), 1);
    expect(inSteps(await createTinyModel(options), 5)).toEqual(alone);
    await using team = await startTinyTeam({ ...options, threads: 2 });
    for (const rows of [1, 3, 16]) expect(inSteps(team, rows), `${rows} rows`).toEqual(alone);
  });
});
