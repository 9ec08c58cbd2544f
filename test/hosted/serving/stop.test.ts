// SIGTERM at each moment of a stream that the hosted API relays.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite, type Database } from '../../../src/database/index.js';
import { describeStop } from '../../support/stop-contract.js';
import { preparePayer, startNode, withBilling, writeNodeFile } from './node-process.js';
import { providerAt } from './start-hosted.js';
import { makeHome } from '../../support/start-product.js';

describeStop('the hosted API', async (url, drainS) => {
  const home = makeHome();
  const file = writeNodeFile(home, 0, { providers: [providerAt(url)], limits: { drain_s: drainS } });
  const open = (): Promise<Database> => openSqlite({ path: join(home, 'data-0', 'hosted.db') });
  const { accountId, secret } = await withBilling(home, open, (billing) =>
    preparePayer(billing, 1_000_000n, { inputNano: 1_000n, outputNano: 2_000n }),
  );
  const node = await startNode(file, {});
  return {
    child: node.child,
    port: node.port,
    path: '/up/v1/chat/completions',
    key: secret,
    ended: node.ended,
    charged: () =>
      withBilling(home, open, async (billing) => {
        const { items } = await billing.requests.list(accountId, {});
        const spent = items.reduce((sum, { costMicro }) => sum + costMicro, 0n);
        const { availableMicro, heldMicro } = await billing.accounts.get(accountId);
        // No money is lost on the way, and none stays reserved.
        if (availableMicro + spent !== 1_000_000n || heldMicro !== 0n) throw new Error('the books do not add up');
        return items.filter(({ state }) => state === 'settled').map(({ completionTokens }) => completionTokens);
      }),
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    },
  };
});
