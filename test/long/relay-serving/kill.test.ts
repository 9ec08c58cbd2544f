// relay-serving/products/kill.test.ts, ten times.
import { describe, it } from 'vitest';
import { killAtEnd, killableGateway, killableNodeOnSqlite } from '../../relay-serving/products/killable.js';
import { killWays } from '../../relay-serving/products/kill-ways.js';

describe.each([
  ['the gateway', killableGateway],
  ['the hosted API', killableNodeOnSqlite],
])('%s, killed ten times as its client has an answer whole, has charged', (_, kind) => {
  it.each(Object.entries(killWays))('%s', { timeout: 600_000 }, (_name, way) => killAtEnd(kind, way, { kills: 10 }));
});
