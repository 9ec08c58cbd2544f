import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/database/index.js';
import { runChaos } from './run-chaos.js';
import { makeHome } from '../../support/start-product.js';

it('each request of a node that is killed under load is charged as the policy says, nothing twice, and no hold is left', async () => {
  const home = makeHome();
  try {
    const { kills, whole } = await runChaos({
      home,
      requests: 1_200,
      clients: 12,
      nodes: 1,
      killAfter: { requests: 200 },
      database: 'sqlite',
      env: {},
      open: () => openSqlite({ path: join(home, 'data-0', 'hosted.db') }),
    });
    expect(kills).toBeGreaterThan(3);
    expect(whole).toBeGreaterThan(900);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
