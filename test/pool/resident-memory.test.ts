import { expect, it } from 'vitest';
import { loadAndUnload } from './resident-memory.js';

it.each(['threads', 'inline'])('a model of 50 MB leaves a process that unloads it, placement %s', async (placement) => {
  const { before, loaded, after } = await loadAndUnload(4, placement, 4);
  expect(Math.max(...loaded)).toBeGreaterThan(before + 45);
  // Were two of the eight models left, it would be past this; heaps and code take the rest.
  expect(Math.max(...after)).toBeLessThan(before + 60);
});
