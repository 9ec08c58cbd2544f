// A pipeline: a source on one thread, a ring, a squaring stage on another, a ring, and a slow reader here.
// Nothing grows: a full ring parks its writer, so that the slowest stage sets the pace.
import {
  actorKey,
  Actor,
  createRing,
  createSupervisor,
  openConsumer,
  openProducer,
  type RingConsumer,
  type RingHandle,
  type RingProducer,
} from '../../../src/actor/index.js';

function write(to: RingProducer, value: number): void {
  const record = new Uint8Array(new Float64Array([value]).buffer);
  while (!to.tryWrite(record)) to.waitSync(1_000);
}

function read(from: RingConsumer, take: (value: number) => void): void {
  from.drain((record) => take(new Float64Array(record.slice().buffer)[0] as number));
}

/** Writes the numbers below `count`, and how far it got into `progress`. */
export class Source extends Actor {
  readonly #init: { readonly to: RingHandle; readonly progress: Int32Array };

  constructor(init: { to: RingHandle; progress: Int32Array }) {
    super();
    this.#init = init;
  }

  async run(count: number): Promise<void> {
    const to = openProducer(this.#init.to);
    for (let i = 0; i < count; i++) {
      write(to, i);
      Atomics.store(this.#init.progress, 0, i + 1);
    }
    to.close();
  }
}

/** Squares what comes. */
export class Square extends Actor {
  readonly #init: { readonly from: RingHandle; readonly to: RingHandle };

  constructor(init: { from: RingHandle; to: RingHandle }) {
    super();
    this.#init = init;
  }

  async run(): Promise<void> {
    const from = openConsumer(this.#init.from);
    const to = openProducer(this.#init.to);
    while (from.waitSync(Infinity)) read(from, (value) => write(to, value * value));
    to.close();
  }
}

/** The sum of the squares below `count`, and how far ahead of its reader the source ever was. */
export async function runPipeline(count: number): Promise<{ sum: number; furthestAhead: number }> {
  const numbers = createRing({ capacityBytes: 256 });
  const squares = createRing({ capacityBytes: 256 });
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const module = new URL(import.meta.url);
  const common = { restart: 'temporary', shutdownMs: 100, placement: 'thread' } as const;
  await using supervisor = await createSupervisor({
    id: 'pipeline',
    strategy: 'oneForAll',
    intensity: 0,
    periodMs: 1_000,
    children: [
      { id: 'square', actor: { module, name: 'Square' }, init: { from: numbers, to: squares }, ...common },
      { id: 'source', actor: { module, name: 'Source' }, init: { to: numbers, progress }, ...common },
    ],
  });
  void supervisor.ref(actorKey<Square>('square')).run();
  void supervisor.ref(actorKey<Source>('source')).run(count);
  const out = openConsumer(squares);
  const result = { sum: 0, furthestAhead: 0 };
  let taken = 0;
  while (await out.wait()) {
    read(out, (value) => {
      result.sum += value;
      result.furthestAhead = Math.max(result.furthestAhead, Atomics.load(progress, 0) - taken++);
    });
  }
  return result;
}
