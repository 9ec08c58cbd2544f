import { expect, it } from 'vitest';
import { waitFor } from '../../src/base/index.js';

it('a wait that was over before it began keeps what failed later from ending the process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): unknown => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const reason = new Error('given up');
  let fail: (error: Error) => void = () => {};
  const work = new Promise<never>((_, reject) => (fail = reject));
  await expect(waitFor(work, 'the work', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  fail(new Error('it failed'));
  // Node reports unhandled rejections after the microtasks of a turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
