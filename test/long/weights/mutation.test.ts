import { expect, it } from 'vitest';
import { mutateBlocks, mutateGgufs } from '../../weights/gguf-mutations.js';
import { mutateHeaders } from '../../weights/mutations.js';

it('reads or refuses 300,000 mutated safetensors headers, and never fails otherwise', { timeout: 600_000 }, () => {
  expect(mutateHeaders(300_000)).toBeGreaterThan(0);
});

it('reads or refuses 1,000,000 mutated GGUF files, each at once and in little memory', { timeout: 1_200_000 }, () => {
  const { accepted, slowestMs, mostBytes } = mutateGgufs(1_000_000);
  expect(accepted).toBeGreaterThan(0);
  expect(slowestMs).toBeLessThan(1000);
  expect(mostBytes).toBeLessThan(2 ** 20);
});

it('decodes and repacks blocks of any bytes', { timeout: 1_200_000 }, () => mutateBlocks(50_000));
