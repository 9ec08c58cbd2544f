// What listens at the address of a runtime changes between two probes.
import { expect, it } from 'vitest';
import { fingerprintOf, ReplaceableRuntime, replaceRuntime } from './replaceable-runtime.js';
import { chat, makeKey, runtimeAt, startGateway } from './start-gateway.js';
import { errorOf } from '../../support/start-product.js';

const key = makeKey();

/** A gateway that has approved what listens at `port`, and probes it once. */
async function startBefore(port: number): ReturnType<typeof startGateway> {
  const runtimes = [runtimeAt(`http://127.0.0.1:${port}`, { fingerprint: await fingerprintOf(port) })];
  return startGateway({ runtimes, virtual_keys: [key.entry] }, { probeMs: 600_000 });
}

// The long suite has 200 tries.
it('a runtime that is replaced between two probes gets no prompt, in 30 tries', async () => {
  await replaceRuntime(30);
});

it('what listens there now is named in the state and in the audit log at once', async () => {
  let own = new ReplaceableRuntime({ name: 'approved' });
  const port = await own.listen();
  await using gateway = await startBefore(port);
  expect((await chat(gateway, key)).status).toBe(200);
  await own.die();
  const other = new ReplaceableRuntime({ name: 'other' });
  await other.listen(port);
  const got = await chat(gateway, key);
  expect([got.status, errorOf(got)]).toMatchObject([502, { code: 'upstream_error' }]);
  const event = { event: 'runtime', runtime: 'r', healthy: false, trouble: 'fingerprint_changed' };
  expect(gateway.events).toContainEqual(expect.objectContaining(event));
  expect(other.prompts).toBe(0);
  await other.die();
  own = new ReplaceableRuntime({ name: 'approved' });
  await own.listen(port);
  await own.die();
});

it('one proof serves all connections that open together, and those beside one that is proven', async () => {
  const own = new ReplaceableRuntime({
    name: 'approved',
    answersAt: () => new Promise((resolve) => setTimeout(resolve, 50)),
  });
  const port = await own.listen();
  await using gateway = await startBefore(port);
  const each = async (): Promise<number> => {
    const before = own.gets;
    const all = await Promise.all(Array.from({ length: 20 }, () => chat(gateway, key)));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    return own.gets - before;
  };
  const first = await each();
  // A proof takes some twenty GETs: one for those that came together, at most one for those that came meanwhile.
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThanOrEqual(60);
  expect(await each()).toBe(0);
  await own.die();
});

it('a server that takes one connection at a time is proven before the connection, and serves', async () => {
  const own = new ReplaceableRuntime({ name: 'approved', isOneByOne: true });
  const port = await own.listen();
  await using gateway = await startBefore(port);
  expect((await chat(gateway, key)).status).toBe(200);
  expect((await chat(gateway, key)).status).toBe(200);
  await own.die();
});
