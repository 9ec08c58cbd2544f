import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ask } from '../../relay/raw-upstream.js';
import { always, startRuntime } from './runtime.js';
import { runtimeAt, startGateway } from './start-gateway.js';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it.each([0, 2])(
  'the health of a gateway that starts is 503 or 200, never 500, with %i relay threads',
  async (relayThreads) => {
    await using runtime = await startRuntime(always('{}'));
    const statuses = new Map<number, number>();
    for (let start = 0; start < 4; start++) {
      const port = await freePort();
      const parts = { listen: `127.0.0.1:${port}`, runtimes: [runtimeAt(runtime.url)] };
      const starting = startGateway(parts, { relayThreads });
      let isStarted = false;
      void starting.finally(() => (isStarted = true)).catch(() => {});
      const poll = async (): Promise<void> => {
        while (!isStarted) {
          const got = await ask(port, 'GET', '/health').catch(() => undefined);
          if (got !== undefined) statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1);
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await Promise.all([poll(), poll(), starting]);
      await using gateway = await starting;
      expect((await ask(gateway.port, 'GET', '/health')).status).toBe(200);
    }
    expect([...statuses.keys()].filter((status) => ![200, 503].includes(status))).toEqual([]);
  },
);
