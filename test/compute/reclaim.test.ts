import { expect, it } from 'vitest';
import { reclaim } from '../../src/compute/devices/cpu/index.js';

/** Memories of 32 MiB, which nothing writes to. */
function segments(count = 3): WebAssembly.Memory[] {
  return Array.from({ length: count }, () => new WebAssembly.Memory({ initial: 512, maximum: 512, shared: true }));
}

it('unreferenced memory is gone when it was reclaimed, and the array is empty', async () => {
  const memories = segments();
  const refs = memories.map((memory) => new WeakRef(memory));
  expect(await reclaim(memories)).toBe(true);
  expect(memories).toEqual([]);
  expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined]);
  expect(await reclaim(memories)).toBe(true);
});

it('memory that is still referenced, even by its buffer, is reported', async () => {
  const memories = segments();
  const held = memories[1]?.buffer;
  expect(await reclaim(memories)).toBe(false);
  expect(held?.byteLength).toBe(512 * 65_536);
});

it('little memory waits for the next that is released', async () => {
  const first = segments(1);
  const second = segments(2);
  const ref = new WeakRef(first[0] as WebAssembly.Memory);
  expect(await reclaim(first)).toBe(true);
  expect(await reclaim(second)).toBe(true);
  expect(ref.deref()).toBeUndefined();
});
