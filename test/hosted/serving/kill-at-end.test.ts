// A node on PostgreSQL that is killed the moment its client has an answer whole. On SQLite it is in the contract of both products,
// relay-serving/products/kill.test.ts.
import { afterAll, describe, it } from 'vitest';
import { killAtEnd, killableNode, type KillableKind } from '../../relay-serving/products/killable.js';
import { killWays } from '../../relay-serving/products/kill-ways.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';

describe.skipIf(noPostgres !== undefined)('a node on PostgreSQL, killed as its client has an answer whole', () => {
  const databases = postgresDatabases(true);
  afterAll(() => databases.close());
  const ways = Object.entries(killWays).filter(([name]) =>
    ['a stream, with its event of usage', 'a whole answer with a length'].includes(name),
  );
  const nodeAt = (url: string): KillableKind =>
    killableNode({
      database: { postgres: { url: { env: 'DATABASE_URL' } } },
      env: { DATABASE_URL: url },
      open: () => databases.open(url),
    });

  it.each(ways)('has charged %s', async (_, way) => killAtEnd(nodeAt(await databases.freshUrl()), way));

  it.each(ways)('has charged %s by its outbox, where the database is away', async (_, way) => {
    const server = await databases.server();
    await killAtEnd(nodeAt(await databases.freshUrl()), way, {
      beforeLast: () => server.halt('fast'),
      beforeLook: () => server.start(),
    });
  });
});
