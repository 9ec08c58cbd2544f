import { expect, it } from 'vitest';
import { generatedCases, hiddenByOldUws, measuredCases, trimmedByUws } from '../http/hostile-corpus.js';
import { openRaw, overTransports, start, type Started } from '../http/over-transports.js';
import { startProxy, whyNoProxy } from './haproxy.js';

const all = [...measuredCases, ...generatedCases, ...trimmedByUws, ...hiddenByOldUws];
/** The front writes it on every request that it has seen as one; no client knows it. */
const MARK = 'x-front';
const SECRET = 'c0ffee5eed';
/** Hostile connections at once. */
const ATTACKERS = 8;

/** A listener that says who asked what, and notes what did not come from the front. */
async function startBehind(
  transport: 'node' | 'uws',
): Promise<{ server: Started; unmarked: string[]; served: () => number }> {
  const unmarked: string[] = [];
  let served = 0;
  const server = await start(
    transport,
    async ({ method, path, headers, body }) => {
      served++;
      if (headers.get(MARK) !== SECRET) unmarked.push(`${method} ${path} ${Buffer.from(body).toString('latin1')}`);
      return { status: 200, body: `<${path}>` };
    },
    { allowedHosts: ['127.0.0.1'] },
  );
  return { server, unmarked, served: () => served };
}

overTransports(
  `a listener behind haproxy${whyNoProxy === undefined ? '' : ` (skipped: ${whyNoProxy})`}`,
  (transport) => {
    it.skipIf(whyNoProxy)(
      'serves nothing that the proxy did not see as a request, and answers no client with the answer of another',
      async () => {
        const { server, unmarked, served } = await startBehind(transport);
        await using _ = server;
        await using proxy = await startProxy(server.port, { [MARK]: SECRET });
        const wrong: unknown[] = [];
        let next = 0;

        const attack = async (bytes: string): Promise<void> => {
          using client = openRaw(proxy.port);
          client.send(bytes.replaceAll('{host}', `127.0.0.1:${proxy.port}`));
          client.socket.end();
          await client.closed;
        };
        // The next client over the same connections behind the proxy.
        const ask = async (name: string, n: number): Promise<void> => {
          const response = await fetch(`http://127.0.0.1:${proxy.port}/victim-${n}`, {
            headers: { connection: 'close' },
          });
          const text = await response.text();
          if (response.status !== 200 || text !== `</victim-${n}>`) wrong.push({ name, status: response.status, text });
        };
        const attacker = async (): Promise<void> => {
          for (let n = next++; n < all.length; n = next++) {
            const hostile = all[n];
            if (hostile === undefined) return;
            await attack(hostile.bytes);
            await ask(hostile.name, n);
          }
        };
        await Promise.all(Array.from({ length: ATTACKERS }, attacker));
        expect(unmarked).toEqual([]);
        expect(wrong).toEqual([]);
        // All who came after, and some of the hostile requests: the proxy does not stop them all.
        console.log(JSON.stringify({ transport, cases: all.length, served: served() }));
        expect(served()).toBeGreaterThan(all.length);
      },
    );
  },
);
