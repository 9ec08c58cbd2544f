import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/database/index.js';
import { makeHome } from '../../gateway/serving/start-gateway.js';
import { runChaos } from './chaos.js';

const CLIENTS = 12;

it(
  'a node that is killed under load charges what was told, nothing twice, and leaves no hold',
  { timeout: 300_000 },
  async () => {
    const home = makeHome();
    try {
      const result = await runChaos({
        home,
        requests: 1_200,
        clients: CLIENTS,
        nodes: 1,
        killMs: 1_000,
        database: 'sqlite',
        env: {},
        open: () => openSqlite({ path: join(home, 'data-0', 'hosted.db') }),
      });
      expect(result.kills).toBeGreaterThan(0);
      // Answers that clients saw whole are charged as they were told; what was being written as a node was killed is not.
      expect(result.exact).toBeGreaterThanOrEqual(result.whole - result.kills * CLIENTS);
      expect(result.whole).toBeGreaterThan(300);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
