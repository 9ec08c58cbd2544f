// What a message costs: a ref's call by placement, comlink and postMessage bare, and rings. One JSON line each.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { wrap } from 'comlink';
import {
  actorKey,
  createRing,
  createSupervisor,
  openConsumer,
  openProducer,
  type Placement,
} from '../../src/actor/index.js';
import { createEndpoint } from '../../src/actor/endpoint.js';
import type { EchoActor } from './echo-actor.js';

const module = new URL('./echo-actor.js', import.meta.url);

function print(name: string, values: Record<string, number>): void {
  const rounded = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value.toPrecision(4))]));
  process.stdout.write(`${JSON.stringify({ bench: name, node: process.versions.node, ...rounded })}\n`);
}

/** Median and 99th percentile of `run`, in µs, of `count` runs after as many unmeasured. */
async function timeRuns(count: number, run: () => unknown): Promise<{ medianUs: number; p99Us: number }> {
  const times: number[] = [];
  for (let i = 0; i < 2 * count; i++) {
    const begin = performance.now();
    await run();
    if (i >= count) times.push((performance.now() - begin) * 1_000);
  }
  times.sort((a, b) => a - b);
  return { medianUs: times[count >> 1] as number, p99Us: times[Math.floor(count * 0.99)] as number };
}

async function withActor(placement: Placement, use: (supervisor: Awaited<ReturnType<typeof start>>) => Promise<void>) {
  const supervisor = await start(placement);
  await use(supervisor);
  await supervisor.stop();
}

function start(placement: Placement) {
  const actor = { module, name: 'EchoActor' };
  const child = { id: 'echo', actor, init: null, restart: 'permanent', shutdownMs: 100, placement } as const;
  return createSupervisor({ id: 'top', strategy: 'oneForOne', intensity: 1, periodMs: 1_000, children: [child] });
}

for (const placement of ['inline', 'thread', 'process'] as const) {
  await withActor(placement, async (supervisor) => {
    const ref = supervisor.ref(actorKey<EchoActor>('echo'));
    print(`ref round trip, ${placement}`, await timeRuns(placement === 'inline' ? 50_000 : 3_000, () => ref.echo(1)));
    const begin = performance.now();
    for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 200 }, () => ref.echo(1)));
    print(`ref calls, 200 under way, ${placement}`, { callsPerSecond: 10_000_000 / (performance.now() - begin) });
  });
}

const bare = new Worker(
  `const { parentPort } = require('node:worker_threads'); parentPort.on('message', (m) => parentPort.postMessage(m));`,
  { eval: true },
);
const post = async (): Promise<void> => {
  const answer = once(bare, 'message');
  bare.postMessage(1, []);
  await answer;
};
print('postMessage round trip', await timeRuns(3_000, post));
await bare.terminate();

const comlinkWorker = new Worker(
  `const { parentPort } = require('node:worker_threads'); const { expose } = require('comlink');
   expose({ echo: (v) => v }, { addEventListener: (_, l) => parentPort.on('message', (data) => l({ data })),
     removeEventListener() {}, postMessage: (m) => parentPort.postMessage(m) });`,
  { eval: true },
);
const endpoint = createEndpoint(comlinkWorker, (message) => comlinkWorker.postMessage(message, []));
const { echo } = wrap<{ echo(value: number): number }>(endpoint);
print('comlink round trip, bare', await timeRuns(3_000, () => echo(1)));
await comlinkWorker.terminate();

await withActor('thread', async (supervisor) => {
  const there = createRing({ capacityBytes: 1 << 12 });
  const back = createRing({ capacityBytes: 1 << 12 });
  const producer = openProducer(there);
  const consumer = openConsumer(back);
  void supervisor.ref(actorKey<EchoActor>('echo')).echoRing(there, back);
  const record = new Uint8Array(16);
  const parked = await timeRuns(3_000, () => {
    producer.tryWrite(record);
    consumer.waitSync(10_000);
    consumer.drain(() => {});
  });
  print('ring round trip, both threads parked', parked);
  const async = await timeRuns(3_000, async () => {
    producer.tryWrite(record);
    await consumer.wait();
    consumer.drain(() => {});
  });
  print('ring round trip, thread parked, main in waitAsync', async);
  producer.close();
});

for (const bytes of [16, 256]) {
  for (const kind of ['spsc', 'mpsc'] as const) {
    await withActor('thread', async (supervisor) => {
      const count = 2_000_000;
      const ring = createRing({ capacityBytes: 1 << 18, kind });
      const consumer = openConsumer(ring);
      const begin = performance.now();
      void supervisor.ref(actorKey<EchoActor>('echo')).pour(ring, count, bytes);
      let seen = 0;
      let wakeUps = 0;
      while (seen < count) {
        await consumer.wait();
        wakeUps++;
        seen += consumer.drain(() => {});
      }
      const recordsPerSecond = (count * 1_000) / (performance.now() - begin);
      print(`ring ${kind}, records of ${bytes} bytes`, { recordsPerSecond, recordsPerWakeUp: count / wakeUps });
      consumer.close();
    });
  }
}
