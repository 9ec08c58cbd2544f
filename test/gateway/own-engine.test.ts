// The engine of this package, as `native-engine serve --http` starts it, found by a scan.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServing, type Serving } from '../server/serving.js';
import { collect, scanOf } from './imitations/scanning.js';

let serving: Serving;
beforeAll(async () => void (serving = await startServing()));
afterAll(() => serving[Symbol.asyncDispose]());

it('finds the real server with its models', async () => {
  const { port } = serving.server;
  const { byPort } = await collect(scanOf([port]));
  expect(byPort.get(port)).toEqual({
    url: serving.url,
    kind: 'native-engine',
    proof: 'GET /api/version has engine troupe',
    version: '0.0.0',
    models: ['demo'],
    state: 'found',
    fingerprint: '1:native-engine:-',
  });
});
