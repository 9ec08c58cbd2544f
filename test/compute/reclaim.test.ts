import { expect, it } from 'vitest';
import { reclaim } from '../../src/compute/devices/cpu/index.js';

function segments(): WebAssembly.Memory[] {
  return Array.from({ length: 3 }, () => new WebAssembly.Memory({ initial: 16, maximum: 16, shared: true }));
}

it('unreferenced memory is gone when it was reclaimed, and the array is empty', async () => {
  const memories = segments();
  expect(await reclaim(memories)).toBe(true);
  expect(memories).toEqual([]);
  expect(await reclaim(memories)).toBe(true);
});

it('memory that is still referenced, even by its buffer, is reported', async () => {
  const memories = segments();
  const held = memories[1]?.buffer;
  expect(await reclaim(memories)).toBe(false);
  expect(held?.byteLength).toBe(16 * 65_536);
});
