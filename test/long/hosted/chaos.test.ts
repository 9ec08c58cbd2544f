// 100,000 paid requests on two nodes and PostgreSQL: clients that leave, a provider that cuts, nodes that are killed, a database
// that is stopped and started.
import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { runChaos } from '../../hosted/chaos/run-chaos.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';
import { makeHome } from '../../support/start-product.js';

const REQUESTS = Number(process.env['CHAOS_REQUESTS'] ?? 100_000);
const databases = postgresDatabases(true);
afterAll(() => databases.close());

it.skipIf(noPostgres !== undefined)(
  'each request is charged as the policy says over kills of nodes and restarts of the database',
  { timeout: 3_600_000 },
  async () => {
    const home = makeHome();
    try {
      const url = await databases.freshUrl();
      const server = await databases.server();
      const result = await runChaos({
        home,
        requests: REQUESTS,
        clients: 64,
        nodes: 2,
        killAfter: { ms: 10_000 },
        database: { postgres: { url: { env: 'DATABASE_URL' } } },
        env: { DATABASE_URL: url },
        open: () => databases.open(url),
        disturb: {
          atParts: [0.25, 0.5, 0.75],
          run: async () => {
            await server.halt('fast');
            await new Promise((resolve) => setTimeout(resolve, 2_000));
            await server.start();
          },
        },
      });
      process.stdout.write(`${JSON.stringify(result)}\n`);
      // 85 of a hundred clients read their answers to the end.
      expect(result.whole).toBeGreaterThan(REQUESTS * 0.7);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
