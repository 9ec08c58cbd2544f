import { expect, it } from 'vitest';
import { loadAndUnload } from '../../models/pool/resident-memory.js';

it.each(['threads', 'inline'])('twenty loads and unloads of 150 MB leave nothing, placement %s', async (placement) => {
  const { before, loaded, after } = await loadAndUnload(12, placement, 20);
  expect(Math.max(...loaded)).toBeGreaterThan(before + 140);
  // One model left would be past this; heaps, code and allocators take the rest.
  expect(Math.max(...after)).toBeLessThan(before + 110);
});
