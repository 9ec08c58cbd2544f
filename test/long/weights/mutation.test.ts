import { expect, it } from 'vitest';
import { mutateGgufs } from '../../weights/gguf-mutations.js';
import { mutateHeaders } from '../../weights/mutations.js';

it('reads or refuses 300,000 mutated safetensors headers, and never fails otherwise', { timeout: 600_000 }, () => {
  expect(mutateHeaders(300_000)).toBeGreaterThan(0);
});

it('reads or refuses 1,000,000 mutated GGUF files, and never fails otherwise', { timeout: 600_000 }, () => {
  expect(mutateGgufs(1_000_000)).toBeGreaterThan(0);
});
