// 100,000 paid requests on two nodes and PostgreSQL: clients that leave, a provider that cuts, nodes that are killed, a database
// that is stopped and started.
import { rmSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { makeHome } from '../../gateway/serving/start-gateway.js';
import { runChaos } from '../../hosted/serving/chaos.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';

const REQUESTS = Number(process.env['CHAOS_REQUESTS'] ?? 100_000);
const databases = postgresDatabases(true);
afterAll(() => databases.close());

it.skipIf(noPostgres !== undefined)(
  'the books are right after kills of nodes and restarts of the database',
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
        killMs: 10_000,
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
      expect(result.whole).toBeGreaterThan(REQUESTS / 2);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
