import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { ended } from '../../e2e/processes.js';
import { hasUws } from '../../http/over-transports.js';

const ROUNDS = 5;
const STREAMS = 12;
/** Kinds of bodies that the fixture sends. */
const BODIES = 6;
const fixture = (name: string): string => join(import.meta.dirname, '../fixtures', name);

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity;
}

/** Milliseconds between the pieces of `STREAMS` streams, one after the other. */
async function gapsOf(url: string): Promise<number[]> {
  const gaps: number[] = [];
  for (let seed = 0; seed < STREAMS; seed++) {
    const messages = [{ role: 'user', content: 'Tell me a story.' }];
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages, seed, max_tokens: 900, ignore_eos: true, stream: true }),
    });
    let last: number | undefined;
    for await (const _ of response.body ?? []) {
      const now = performance.now();
      if (last !== undefined) gaps.push(now - last);
      last = now;
    }
  }
  return gaps;
}

describe.each(['node', ...(hasUws ? ['uws'] : [])])('the largest bodies, over %s', (transport) => {
  it('make the gaps of a stream at most twice as long', async () => {
    const server = fork(fixture('server-process.js'), [transport, '512'], { silent: true });
    if (server.stdout === null) throw new Error('a child with pipes');
    server.stderr?.resume();
    const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
    await gapsOf(url);
    const alone: number[] = [];
    const beside: number[] = [];
    let answered: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(p99(await gapsOf(url)));
      const sender: ChildProcess = fork(fixture('large-bodies.js'), [url]);
      const gaps: number[] = [];
      // Until each body was answered.
      do {
        gaps.push(...(await gapsOf(url)));
        sender.send('count');
        [answered] = (await once(sender, 'message')) as [Record<string, number>];
      } while (Object.values(answered).reduce((sum, count) => sum + count, 0) < BODIES);
      beside.push(p99(gaps));
      sender.kill('SIGKILL');
      await ended(sender);
    }
    server.kill('SIGKILL');
    await ended(server);
    console.log(JSON.stringify({ transport, alone, beside, answered }));
    // For a model that is not there: each was read to its end.
    expect(Object.keys(answered)).toEqual(['404']);
    // The best round: clients and sender share the server's cores.
    const ratios = beside.map((gap, round) => gap / (alone[round] ?? 0));
    expect(Math.min(...ratios)).toBeLessThan(2);
  });
});
