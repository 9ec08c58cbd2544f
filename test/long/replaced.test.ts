import { it } from 'vitest';
import { replaceRuntime } from '../gateway/serving/replaceable-runtime.js';

it('a runtime that is replaced between two probes gets no prompt, in 200 tries', { timeout: 600_000 }, async () => {
  await replaceRuntime(200);
});
