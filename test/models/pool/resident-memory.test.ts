import { expect, it } from 'vitest';
import { loadAndUnload } from './resident-memory.js';

it.each(['threads', 'inline'])('a model of 50 MB leaves a process that unloads it, placement %s', async (placement) => {
  const { before, loaded, after } = await loadAndUnload(4, placement, 4);
  // What one unload gives back; `before` also counts what the start of the process has used and gives back later.
  const givenBack = loaded.map((megabytes, round) => megabytes - (after[round] ?? megabytes));
  expect(Math.max(...givenBack)).toBeGreaterThan(40);
  // Were two of the eight models left, it would be past this; heaps and code take the rest.
  expect(Math.max(...after)).toBeLessThan(before + 60);
});
