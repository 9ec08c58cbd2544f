import { expect, it } from 'vitest';
import { generatedCases, hiddenByOldUws, measuredCases, trimmedByUws } from '../../http/hostile-corpus.js';
import { openRaw, overTransports } from '../../http/over-transports.js';
import { always, completion, startRuntime } from '../../gateway/serving/runtime.js';
import { makeKey, runtimeAt, startGateway } from '../../gateway/serving/start-gateway.js';
import { startProxy, whyNoProxy } from '../haproxy.js';
import { chatBody } from '../../support/start-product.js';

const all = [...measuredCases, ...generatedCases, ...trimmedByUws, ...hiddenByOldUws];
const ATTACKERS = 8;

overTransports(
  `a gateway behind haproxy${whyNoProxy === undefined ? '' : ` (skipped: ${whyNoProxy})`}`,
  (transport) => {
    it.skipIf(whyNoProxy)(
      'takes for a request only what the proxy did, and answers no client with the answer of another',
      async () => {
        await using runtime = await startRuntime(always(completion(5, 5)));
        const key = makeKey();
        await using started = await startGateway(
          { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] },
          { transport },
        );
        // Only the proxy has a key: what the gateway alone took for a request has none.
        await using proxy = await startProxy(started.port, key.headers);
        const wrong: unknown[] = [];
        let next = 0;
        const attacker = async (): Promise<void> => {
          for (let hostile = all[next++]; hostile !== undefined; hostile = all[next++]) {
            using client = openRaw(proxy.port);
            client.send(hostile.bytes.replaceAll('{host}', `127.0.0.1:${proxy.port}`));
            client.socket.end();
            await client.closed;
            const response = await fetch(`http://127.0.0.1:${proxy.port}/v1/chat/completions`, {
              method: 'POST',
              headers: { connection: 'close', 'content-type': 'application/json' },
              body: chatBody(),
            });
            if (response.status !== 200) wrong.push({ name: hostile.name, status: response.status });
            await response.arrayBuffer();
          }
        };
        await Promise.all(Array.from({ length: ATTACKERS }, attacker));
        expect(wrong).toEqual([]);
        expect(started.lines.filter(({ status, key_id: id }) => status === 401 || id === undefined)).toEqual([]);
        expect(runtime.asked).toHaveLength(all.length);
        expect(new Set(runtime.asked.map(({ method, target }) => `${method} ${target}`))).toEqual(
          new Set(['POST /v1/chat/completions']),
        );
      },
    );
  },
);
