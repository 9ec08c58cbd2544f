// What a node answers on /health from before its socket exists until it is at work.
import { expect, it } from 'vitest';
import { codeOf } from '../../../src/base/index.js';
import { ask } from '../../relay/raw-upstream.js';
import { freePort } from '../../support/free-port.js';
import { SOON } from '../../support/start-product.js';
import { startHosted } from './start-hosted.js';

it('a node that starts answers 503 at the most, never 500, and then 200', async () => {
  const port = await freePort();
  const seen: string[] = [];
  let isOver = false;
  const poll = async (): Promise<void> => {
    while (!isOver) {
      const answer = await ask(port, 'GET', '/health').catch((error: unknown) => ({ status: codeOf(error) }));
      seen.push(String(answer.status));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const polling = poll();
  await using hosted = await startHosted({ listen: { port } });
  await expect.poll(() => seen.filter((each) => each === '200').length, SOON).toBeGreaterThan(5);
  isOver = true;
  await polling;
  const turns = seen.filter((each, i) => each !== seen[i - 1]).filter((each) => each !== '503');
  expect([turns, hosted.port]).toEqual([['ECONNREFUSED', '200'], port]);
});
