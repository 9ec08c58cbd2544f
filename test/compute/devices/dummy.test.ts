import { expect, it } from 'vitest';
import { createBatch, devices, openDevice } from '../../../src/compute/index.js';
import { loadOn, requestTiny } from '../../support/tiny-on-device.js';

it('the dummy likes the sum of the token ids best, which it reads from its cache', async () => {
  const request = requestTiny({}, 'dummy');
  const memory = await loadOn(await devices.dummy.prepare({ isPortable: false }), request);
  const device = openDevice(memory.children({ restart: 'permanent', shutdownMs: 0 }).init(), () => {});
  const batch = createBatch(device);
  // 100 and 90 in one block, 50 in another: 240 is 43 modulo 197.
  batch.rows = 3;
  batch.tokenIds.set([100, 90, 50]);
  batch.positions.set([30, 31, 32]);
  batch.slots.set([2 * 32 + 30, 2 * 32 + 31, 5 * 32]);
  batch.blockTables = [[2, 5]];
  batch.logitRows.set([0, 2]);
  batch.numLogitRows = 2;
  device.run(batch);
  expect([0, 1].map((index) => device.logits(index).indexOf(1))).toEqual([100, 43]);
  expect(device.logits(1).reduce((sum, logit) => sum + logit, 0)).toBe(1);
  expect(device.hidden(2)).toEqual(new Float32Array(request.graph.hiddenSize).fill(43));
  expect(device.calibrate).toBeUndefined();
  await memory.release();
});
