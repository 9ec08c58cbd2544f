import { describe, expect, it } from 'vitest';
import { openSafetensors } from '../../src/weights/index.js';
import { mutateHeaders, validHeader } from './mutations.js';
import { inDirectory, withHeader } from './safetensors-file.js';
import { expectWithin } from '../support/elapsed.js';

describe('safetensors under mutation', () => {
  it('reads or refuses 2,000 mutated headers, and never fails otherwise', () => {
    expect(mutateHeaders(2_000)).toBeGreaterThan(0);
  });

  it('refuses a file cut at any byte', async () => {
    const whole = withHeader(validHeader.text, new Uint8Array(validHeader.dataBytes));
    for (let size = 0; size < whole.length; size++) {
      await inDirectory({ 'model.safetensors': whole.subarray(0, size) }, async (directory) => {
        await expect(openSafetensors(directory), `${size} bytes`).rejects.toMatchObject({ code: 'checkpoint_invalid' });
      });
    }
  });

  it('refuses ten megabytes of brackets in less than a second', () => {
    const header = withHeader(`{"a":${'['.repeat(10_000_000)}`);
    const start = performance.now();
    return inDirectory({ 'model.safetensors': header }, async (directory) => {
      await expect(openSafetensors(directory)).rejects.toMatchObject({ code: 'checkpoint_invalid' });
      expectWithin(1_000, start);
    });
  });
});
