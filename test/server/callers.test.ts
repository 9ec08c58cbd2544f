import { once, setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { overTransports } from '../http/over-transports.js';
import { startServing, type Serving } from './serving.js';

/** More than run at once, which is 64. */
const FLOOD = 160;
/** Tokens of an answer of the flood: the first ends long after the last was submitted. */
const LONG_ANSWER = 60;
/** Tokens of an answer that is given up before its end. */
const ENDLESS_ANSWER = 400;
const HELLO = [{ role: 'user', content: 'Hello' }];

/** The status of an answer that was read to its end, by a client at an address of this machine. */
async function ask(url: string, from: string, body: object): Promise<number> {
  return (await askWhole(url, from, body)).status;
}

/** The same with the time after which to try again, and the body. */
async function askWhole(
  url: string,
  from: string,
  body: object,
  signal?: AbortSignal,
): Promise<{ status: number; retryAfter: string | undefined; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    localAddress: from,
    agent: false,
    signal,
  });
  sent.end(JSON.stringify({ model: 'demo', messages: HELLO, ...body }));
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += String(piece);
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text };
}

/**
 * As many requests at once, so that `waiting` of them wait. Where the first are answered before the last have come, as on a machine
 * that does much else, they are sent again. Their answers, and how many have ended.
 */
async function startFlood(
  { url, host }: Serving,
  { requests, waiting, tokens, signal }: { requests: number; waiting: number; tokens: number; signal?: AbortSignal },
) {
  for (let attempt = 0; attempt < 20; attempt++) {
    let ended = 0;
    const answers = Array.from({ length: requests }, async () => {
      const answer = await askWhole(url, '127.0.0.1', { ignore_eos: true, max_tokens: tokens }, signal);
      ended++;
      return answer;
    });
    // Asked by the way: the thread that looks is the one that takes the requests.
    for (; ended === 0; await setTimeout(5)) {
      const stats = await host.openModels()[0]?.client.stats();
      if ((stats?.waiting ?? 0) >= waiting) return { answers, numEnded: () => ended };
    }
    await Promise.all(answers);
  }
  throw new Error('each flood was over before it was complete');
}

describe('clients of a server', () => {
  // Linux has all of 127.0.0.0/8 for clients to come from.
  it.skipIf(process.platform !== 'linux')(
    'wait their turn among clients, not behind all that another has asked',
    async () => {
      await using serving = await startServing({ threads: 1, maxWaiting: 2 * FLOOD });
      // All of them have been submitted before the other comes.
      const flood = await startFlood(serving, { requests: FLOOD, waiting: FLOOD - 64, tokens: LONG_ANSWER });
      expect(await ask(serving.url, '127.0.0.2', { max_tokens: 1 })).toBe(200);
      // Behind them all it would be the turn of 97 others first.
      expect(flood.numEnded()).toBeLessThan(90);
      const answers = await Promise.all(flood.answers);
      expect(answers.map(({ status }) => status)).toEqual(Array(FLOOD).fill(200));
    },
  );
});

overTransports('clients of a server', (transport) => {
  // Both transports name the client: here it is refused, or served, by its address.
  it.skipIf(process.platform !== 'linux')(
    'get in although another caller has filled the queue, whose newest waiting requests are refused for now',
    async () => {
      const WAITING = 16;
      const NEWCOMERS = 8;
      await using serving = await startServing({ threads: 1, maxWaiting: WAITING }, { transport });
      const givenUp = new AbortController();
      const { signal } = givenUp;
      setMaxListeners(0, signal);
      const sizes = { requests: 64 + WAITING, waiting: WAITING, tokens: ENDLESS_ANSWER };
      const flood = await startFlood(serving, { ...sizes, signal });
      const answering = Promise.allSettled(flood.answers);
      const newcomers = Array.from({ length: NEWCOMERS }, async () => ask(serving.url, '127.0.0.2', { max_tokens: 2 }));
      expect(await Promise.all(newcomers)).toEqual(Array(NEWCOMERS).fill(200));
      await expect.poll(flood.numEnded).toBe(NEWCOMERS);
      givenUp.abort();
      const refused = (await answering).flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      expect(refused).toHaveLength(NEWCOMERS);
      for (const { status, retryAfter, text } of refused) {
        expect([status, retryAfter]).toEqual([503, '1']);
        expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error', code: 'overloaded' } });
      }
    },
  );
});
