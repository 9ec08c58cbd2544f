import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createSupervisor,
  withOptions,
  type ChildSpec,
  type SupervisionEvent,
  type Supervisor,
  type SupervisorSpec,
} from '../../src/actor/index.js';
import { killAtMessage } from '../../src/actor/faults.js';
import { AppError } from '../../src/base/index.js';
import type { ThreadGroupInit } from '../../src/compute/devices/cpu/index.js';
import { EngineClient, engineKey, engineTree, type GenerateRequest } from '../../src/engine/index.js';
import { createTinyModel, toDeviceMemory, type TinyModel } from '../support/tiny-model.js';
import type * as fixtures from './fixtures/broken-engines.js';
import { expectWithin } from '../support/elapsed.js';

// Wide enough that a prompt is shared by the thread group.
const CONFIG = { hidden_size: 256, intermediate_size: 512, max_position_embeddings: 512 };
const THREADS = 2;
const PROMPT = Array.from({ length: 40 }, (_, i) => (i * 13) % 197);
const module = new URL('./fixtures/broken-engines.js', import.meta.url);

interface Running {
  readonly supervisor: Supervisor;
  readonly client: EngineClient;
  readonly events: SupervisionEvent[];
}

/** Changes one child of the tree. */
type Change = (child: ChildSpec) => ChildSpec;

const running: Running[] = [];

afterEach(async () => {
  for (const { supervisor } of running.splice(0)) await supervisor.stop();
});

let tiny: TinyModel;

/** One at a time: they share the model's memory. */
async function start(change: Change = (child) => child): Promise<Running> {
  const { contextLength, vocabSize } = tiny.config;
  const client = new EngineClient({ contextLength, vocabSize });
  const memory = { ...tiny, device: toDeviceMemory(tiny, THREADS), contextLength };
  const tree = engineTree({ memory, placement: 'thread', client });
  const spec: SupervisorSpec = { ...tree, children: (tree.children as readonly ChildSpec[]).map(change) };
  const events: SupervisionEvent[] = [];
  const supervisor = await createSupervisor(spec, (event) => {
    events.push(event);
    if (event.type === 'escalated') client.close(new AppError('engine_restarted', event.reason?.message ?? ''));
    if (event.type === 'restarted' && event.id === engineKey.id) client.attach(supervisor.ref(engineKey));
  });
  client.attach(supervisor.ref(engineKey));
  running.push({ supervisor, client, events });
  return { supervisor, client, events };
}

/** The engine's place is taken by one that is broken `faults` times. */
function broken(name: keyof typeof fixtures, faults: number, more: Partial<ChildSpec> = {}): Change {
  const left = new Int32Array(new SharedArrayBuffer(4)).fill(faults);
  return (child) => {
    if (child.id !== engineKey.id) return child;
    const init = child.init as () => object;
    return { ...child, actor: { module, name }, init: () => ({ ...init(), faults: left }), ...more };
  };
}

/** The first instance of `id` has the address of its tensors beyond the end of the memory. */
function withWrongAddresses(id: string): Change {
  let starts = 0;
  return (child) => {
    if (child.id !== id) return child;
    const init = child.init as () => ThreadGroupInit & { readonly device: ThreadGroupInit };
    const misplaced = (): object => {
      const whole = init();
      return id === engineKey.id ? { ...whole, device: misplace(whole.device) } : misplace(whole);
    };
    return { ...child, init: () => (starts++ === 0 ? misplaced() : init()) };
  };
}

function misplace(init: ThreadGroupInit): ThreadGroupInit {
  const beyond = (init.memories[0] as WebAssembly.Memory).buffer.byteLength + 65_536;
  const segments = init.plan.segments.map((segment) => ({
    ...segment,
    tensors: Object.fromEntries(Object.keys(segment.tensors).map((name) => [name, beyond])),
  }));
  return { ...init, plan: { ...init.plan, segments } };
}

function request(seed: number): GenerateRequest {
  const sampling = { temperature: 1, topP: 0.95, topK: 0, minP: 0, seed };
  return { promptTokenIds: PROMPT.slice(seed), maxTokens: 30, sampling, stopTokenIds: [], ignoreStop: true };
}

async function collect(client: EngineClient, seed: number): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { tokenIds } of client.generate(request(seed))) tokens.push(...tokenIds);
  return tokens;
}

function converse(client: EngineClient): Promise<number[][]> {
  return Promise.all([0, 1, 2, 3].map((seed) => collect(client, seed)));
}

function crashes(events: readonly SupervisionEvent[]): unknown[] {
  return events
    .filter(({ type }) => type === 'crashed')
    .map(({ id, reason }) => [id, reason?.code, reason?.details['cause'] ?? reason?.details['exitCode']]);
}

describe('an engine tree with a fault', () => {
  let expected: number[][];
  let logits: Float32Array;

  beforeAll(async () => {
    tiny = await createTinyModel({ config: CONFIG, capacity: { threads: THREADS, maxRows: 128, maxSequences: 64 } });
    const { client, supervisor } = await start();
    expected = await converse(client);
    logits = await client.forward(PROMPT);
    await supervisor.stop();
  });

  it.each([
    ['a WASM trap in the engine', withWrongAddresses('engine'), ['engine', 'actor_crashed', 'RuntimeError']],
    [
      'a WASM trap in a compute thread',
      withWrongAddresses('compute-1'),
      ['compute-1', 'actor_crashed', 'RuntimeError'],
    ],
    ['a bug in a method', broken('ThrowsOnRequest', 1), ['engine', 'actor_crashed', 'TypeError']],
    ['process.exit', broken('ExitsOnRequest', 1), ['engine', 'actor_exited', 3]],
    ['a full heap', broken('FillsItsHeap', 1, { heapMb: 24 }), ['engine', 'actor_crashed', 'ERR_WORKER_OUT_OF_MEMORY']],
  ] as const)('finishes every conversation, with the tokens it would have had: %s', async (_, change, crash) => {
    const { client, supervisor, events } = await start(change);
    expect(await converse(client)).toEqual(expected);
    expect(crashes(events)).toEqual([crash]);
    expect(supervisor.ready).toBe(true);
  });

  it.each(['before', 'after'] as const)('scores again what a death %s the answer has lost, once', async (when) => {
    const { client, supervisor } = await start();
    killAtMessage(supervisor, engineKey.id, 1, when);
    expect(await client.forward(PROMPT)).toEqual(logits);
  });

  it('rejects with a typed error at the deadline when it loops, and goes on once it is killed', async () => {
    const { client, supervisor } = await start(broken('LoopsOnRequest', 1));
    const conversations = converse(client);
    const ref = withOptions(supervisor.ref(engineKey), { deadlineMs: 200 });
    const begin = performance.now();
    await expect(ref.stats()).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expectWithin(1_000, begin);
    supervisor.kill(engineKey.id);
    expect(await conversations).toEqual(expected);
  });

  it('is torn down in its time when it loops', async () => {
    const { client, supervisor } = await start(broken('LoopsOnRequest', 1));
    const pending = collect(client, 1);
    const begin = performance.now();
    await supervisor.stop();
    expectWithin(4_000, begin);
    client.close(new AppError('engine_closed', 'over'));
    await expect(pending).rejects.toMatchObject({ code: 'engine_closed' });
  });

  it.each([
    ['a throw in a constructor', broken('ThrowsInConstructor', 9), 'TypeError'],
    ['process.exit in a constructor', broken('ExitsInConstructor', 9), 'actor_exited'],
    ['a start that never ends', broken('NeverStarts', 9, { startDeadlineMs: 500 }), 'deadline_exceeded'],
  ])('does not start, says why, and leaves nothing: %s', async (_, change, cause) => {
    const begin = performance.now();
    await expect(start(change)).rejects.toMatchObject({
      code: 'actor_start_failed',
      details: { actor: 'engine', cause },
    });
    expectWithin(5_000, begin);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker')).toEqual([]);
  });

  it.each([
    ['a throw in a constructor', broken('ThrowsInConstructor', 3), 60_000],
    ['a start that never ends', broken('NeverStarts', 1), 1_500],
  ])('comes back although its restarts fail at first: %s', async (_, change, secondStartMs) => {
    let starts = 0;
    const { client, supervisor } = await start((child) => {
      const changed = change(child);
      if (child.id !== engineKey.id) return child;
      // The first one is sound, and is killed.
      const init = changed.init as () => object;
      const sound = new Int32Array(new SharedArrayBuffer(4));
      return {
        ...changed,
        init: () => (starts++ === 0 ? { ...init(), faults: sound } : init()),
        // Read before `init` is called. A sound start has its time on a busy machine.
        get startDeadlineMs() {
          return starts === 1 ? secondStartMs : 60_000;
        },
      };
    });
    const conversations = converse(client);
    supervisor.kill(engineKey.id);
    expect(await conversations).toEqual(expected);
  });
});
