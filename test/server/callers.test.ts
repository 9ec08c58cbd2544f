import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { overTransports } from '../http/over-transports.js';
import { startServing } from './serving.js';

/** More than run at once, which is 64. */
const FLOOD = 160;
const HELLO = [{ role: 'user', content: 'Hello' }];

/** The status of an answer that was read to its end, by a client at an address of this machine. */
async function ask(url: string, from: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${url}/v1/chat/completions`, { method: 'POST', headers, localAddress: from, agent: false });
  sent.end(JSON.stringify({ model: 'demo', messages: HELLO, ...body }));
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode ?? 0;
}

overTransports('clients of a server', (transport) => {
  // Linux has all of 127.0.0.0/8 for clients to come from.
  it.skipIf(process.platform !== 'linux')(
    'wait their turn among clients, not behind all that another has asked',
    async () => {
      await using serving = await startServing({ threads: 1, maxWaiting: 2 * FLOOD }, { transport });
      let ended = 0;
      const flood = Array.from({ length: FLOOD }, async () => {
        const status = await ask(serving.url, '127.0.0.1', { ignore_eos: true, max_tokens: 150 });
        ended++;
        return status;
      });
      // All of them have been submitted before the other comes.
      for (let waiting = 0; waiting < FLOOD - 64;) {
        const text = await (await fetch(`${serving.url}/metrics`)).text();
        waiting = Number(/^troupe_sequences_waiting\{.*\} (\d+)$/m.exec(text)?.[1] ?? 0);
        if (ended > 0) throw new Error('the flood is over before it was complete');
      }
      expect(await ask(serving.url, '127.0.0.2', { max_tokens: 1 })).toBe(200);
      // Behind them all it would be the turn of 97 others first.
      expect(ended).toBeLessThan(90);
      expect(await Promise.all(flood)).toEqual(Array(FLOOD).fill(200));
    },
  );
});
