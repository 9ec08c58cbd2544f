import { expect, it } from 'vitest';
import { createBatch } from '../../src/compute/index.js';
import { ROW_TILE } from '../../src/compute/devices/cpu/memory/memory-plan.js';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';
import { startTinyThreadGroup } from '../support/tiny-thread-group.js';

// Wide enough that a thread group shares the preparing of both tiles: 72 rows of 1,056 and of 3,104 columns, the latter in panels.
const ROWS = ROW_TILE + 72;
const OPTIONS = {
  config: { hidden_size: 1056, intermediate_size: 3090, num_hidden_layers: 2, max_position_embeddings: 1024 },
  capacity: { maxRows: ROWS },
};

/** Logits of the last rows of one step of two tiles: their bits. */
function logitsOf({ device, graph }: TinyModel): Buffer {
  const batch = createBatch(device.plan);
  batch.rows = ROWS;
  batch.numLogitRows = 8;
  for (let row = 0; row < ROWS; row++) {
    batch.tokenIds[row] = (row * 31) % graph.vocabSize;
    batch.positions[row] = row;
    batch.slots[row] = row;
  }
  batch.blockTables = [Array.from({ length: Math.ceil(ROWS / 32) }, (_, block) => block)];
  for (let i = 0; i < batch.numLogitRows; i++) batch.logitRows[i] = ROWS - 8 + i;
  device.run(batch);
  return Buffer.concat(
    Array.from({ length: batch.numLogitRows }, (_, i) => Buffer.from(device.logits(i).slice().buffer)),
  );
}

it('a thread group that shares the preparing of many rows gives the bits of one thread', async () => {
  const alone = await createTinyModel(OPTIONS);
  const expected = logitsOf(alone);
  for (const threads of [2, 3]) {
    await using threadGroup = await startTinyThreadGroup({ ...OPTIONS, threads, weightsOf: alone });
    for (let step = 0; step < 6; step++)
      expect(logitsOf(threadGroup).equals(expected), `${threads} threads, step ${step}`).toBe(true);
  }
});
