// SIGTERM at each moment of a relayed stream that ends within the grace.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ask } from '../../relay/raw-upstream.js';
import { startProcess } from '../hardening-gateway.js';
import { openEvents, startRuntime } from './runtime.js';

/** Pieces of the answer, some milliseconds apart. */
const PIECES = 12;

// -1: the runtime has said nothing yet; PIECES: it has said all but the end.
it.each([-1, 0, 1, PIECES / 2, PIECES - 1, PIECES])(
  'a relayed stream ends whole after SIGTERM at piece %i, and so does its request log',
  { timeout: 60_000 },
  async (piece) => {
    let stop = (): void => {};
    await using runtime = await startRuntime(async (_, socket) => {
      if (piece === -1) stop();
      await sleep(20);
      const events = openEvents(socket);
      for (let count = 0; count <= PIECES; count++) {
        if (count === piece) stop();
        if (count < PIECES) events.token();
        await sleep(5);
      }
      events.usage(3, PIECES);
      events.end();
    });
    await using gateway = await startProcess({ upstreams: { demo: runtime.url }, limits: '{ drain_s: 20 }' });
    stop = () => {
      stop = () => {};
      gateway.child.kill('SIGTERM');
    };
    const body = JSON.stringify({
      model: 'demo',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const headers = { authorization: `Bearer ${gateway.key}` };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, headers)),
    );
    for (const { status, body: bytes, isBroken } of answers) {
      expect([status, isBroken]).toEqual([200, false]);
      expect(bytes.toString().match(/"content":" a"/g)).toHaveLength(PIECES);
      expect(bytes.toString()).toMatch(/"completion_tokens":12[^]*data: \[DONE\]\n\n$/);
    }
    expect(await gateway.ended).toBe(0);
    expect(gateway.output().match(/"completion_tokens":12/g)).toHaveLength(4);
  },
);
