// What a gateway answers while it starts: from before its socket exists until all of it has started. The last actor of its tree
// waits for this test, so that the start takes as long as the test looks at it.
import { expect, it } from 'vitest';
import { codeOf } from '../../../src/base/index.js';
import { canSharePort, chooseTransport } from '../../../src/http/index.js';
import { uwsDirectory } from '../../http/over-transports.js';
import { ask } from '../../relay/raw-upstream.js';
import { always, startRuntime } from './runtime.js';
import { runtimeAt, startGateway } from './start-gateway.js';
import { freePort } from '../../support/free-port.js';
import { SOON } from '../../support/start-product.js';

/** Answers of each kind that are looked at. */
const ENOUGH = 25;
const REFUSED = 'ECONNREFUSED';
const STARTING = '503 starting';
const HEALTHY = '200 ok';

/** What `/health` answers: a status with its word, or why there is no connection. */
async function look(port: number): Promise<string> {
  try {
    const { status, body } = await ask(port, 'GET', '/health');
    const said = JSON.parse(body.toString()) as { status?: string; error?: { code?: string } };
    return `${status} ${said.error?.code ?? said.status}`;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

const transport = await chooseTransport('auto', '127.0.0.1', uwsDirectory).catch(() => 'node' as const);
// Where a port cannot be shared two threads are one, which is another case than none.
const shared = canSharePort(transport) ? 'on a shared port' : 'of which one is left since no port is shared';

it.each([
  [0, 'in the thread of the gateway'],
  [2, shared],
])('a gateway that starts answers 503, and then 200, with %i relay threads, %s', async (relayThreads) => {
  await using runtime = await startRuntime(always('{}'));
  const port = await freePort();
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const seen: string[] = [];
  const numSeen = (kind: string): number => seen.filter((each) => each === kind).length;
  let isOver = false;
  const poll = async (): Promise<void> => {
    while (!isOver) {
      seen.push(await look(port));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const polling = poll();
  await expect.poll(() => numSeen(REFUSED), SOON).toBeGreaterThan(0);
  const module = new URL('fixtures/waiting-actor.js', import.meta.url);
  const lastActor = {
    id: 'waiting',
    actor: { module, name: 'WaitingActor' },
    init: () => gate,
    restart: 'permanent',
    placement: 'inline',
    shutdownMs: 1_000,
  } as const;
  const parts = { listen: `127.0.0.1:${port}`, runtimes: [runtimeAt(runtime.url)] };
  const starting = startGateway(parts, { relayThreads, transport, lastActor });
  try {
    await expect.poll(() => numSeen(STARTING), SOON).toBeGreaterThan(ENOUGH);
    expect(numSeen(HEALTHY)).toBe(0);
  } finally {
    open();
  }
  await using gateway = await starting;
  await expect.poll(() => numSeen(HEALTHY), SOON).toBeGreaterThan(ENOUGH);
  isOver = true;
  await polling;
  // Each kind once, in this order: no 500, and nothing in between.
  const turns = seen.filter((kind, i) => kind !== seen[i - 1]);
  expect(turns).toEqual([REFUSED, STARTING, HEALTHY]);
  expect(gateway.port).toBe(port);
});
