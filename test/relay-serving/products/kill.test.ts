// A product that is killed the moment its client has an answer whole, over HTTP and with a process of its own, has charged it.
// The upstream never ends its answer, so that nothing comes behind the last piece.
import { describe, it } from 'vitest';
import { killAtEnd, killableGateway, killableNodeOnSqlite } from './killable.js';
import { killWays } from './kill-ways.js';

describe.each([
  ['the gateway', killableGateway],
  ['the hosted API', killableNodeOnSqlite],
])('%s, killed as its client has an answer whole, has charged', (_, kind) => {
  it.each(Object.entries(killWays))('%s', (_name, way) => killAtEnd(kind, way));
});
