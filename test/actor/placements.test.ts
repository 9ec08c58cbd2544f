import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  actorKey,
  withOptions,
  type Placement,
  type Ref,
  type SupervisionEvent,
  type Supervisor,
} from '../../src/actor/index.js';
import { AppError } from '../../src/base/index.js';
import type { WorkerBee } from './fixtures/worker-bee.js';
import { bee, nextEvent, tree } from './tree.js';

const all: readonly Placement[] = ['inline', 'thread', 'process'];

/** The contract of every placement: the same actor, the same answers. */
describe.each(all)('an actor placed %s', (placement) => {
  let supervisor: Supervisor;
  let events: SupervisionEvent[];
  let ref: Ref<WorkerBee>;
  let patient: Ref<WorkerBee>;

  beforeEach(async () => {
    ({ supervisor, events } = await tree([bee({ placement, init: { start: 40 }, mailbox: 3 })], { intensity: 50 }));
    ref = supervisor.ref(actorKey<WorkerBee>('bee'));
    patient = withOptions(ref, { whenDown: 'wait' });
  });

  afterEach(() => supervisor.stop());

  it('answers calls in order and keeps its state between them', async () => {
    expect(await Promise.all([ref.add(1), ref.add(1), ref.add(1)])).toEqual([41, 42, 43]);
    expect(await ref.who()).toEqual({ id: 'bee', placement });
  });

  it('answers with an expected error and lives on', async () => {
    await ref.add(1);
    await expect(ref.refuse()).rejects.toMatchObject({
      code: 'bee_tired',
      message: 'the bee will not',
      details: { flowers: 7 },
    });
    expect(await ref.add(1)).toBe(42);
    expect(supervisor.tree().children[0]?.restarts).toBe(0);
  });

  it.each([
    ['crash', 'TypeError'],
    ['assertWrong', 'internal_error'],
    ['trap', 'RuntimeError'],
  ] as const)('is replaced after a bug in %s, and says so to who waited', async (method, cause) => {
    await ref.add(1);
    const beside = ref.never();
    await expect(ref[method]()).rejects.toMatchObject({ code: 'actor_crashed', details: { actor: 'bee', cause } });
    await expect(beside).rejects.toMatchObject({ code: 'actor_crashed' });
    expect(await patient.add(1)).toBe(41);
    expect(events.map((event) => event.type)).toEqual(['started', 'crashed', 'restarted']);
    expect(events[1]?.stack).toContain(method);
  });

  it('is down to an impatient caller while it is being replaced', async () => {
    await expect(ref.crash()).rejects.toThrow(AppError);
    await expect(ref.add(1)).rejects.toMatchObject({ code: 'actor_down' });
  });

  it('ends a call at its deadline and keeps its place in the mailbox until it is done', async () => {
    const hasty = withOptions(ref, { deadlineMs: 20 });
    await expect(hasty.never()).rejects.toMatchObject({ code: 'deadline_exceeded', details: { deadlineMs: 20 } });
    await expect(hasty.never()).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(supervisor.tree().mailboxDepth).toBe(2);
    expect(await ref.add(2)).toBe(42);
  });

  it('refuses what its mailbox does not hold', async () => {
    const calls = [ref.never(), ref.never(), ref.never()];
    await expect(ref.add(1)).rejects.toMatchObject({ code: 'mailbox_full', details: { limit: 3 } });
    supervisor.kill('bee');
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'actor_crashed' });
    expect(await patient.add(1)).toBe(41);
  });

  it('rejects with the reason of an abort at once, and aborts the signal on its side', async () => {
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const call = ref.untilAborted(controller.signal);
    const plain = withOptions(ref, { signal: controller.signal }).never();
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(plain).rejects.toBe(reason);
    expect((await ref.counts()).aborted).toBe(1);
    await expect(withOptions(ref, { signal: controller.signal }).add(1)).rejects.toBe(reason);
    expect(supervisor.tree().children[0]?.restarts).toBe(0);
  });

  it('aborts the signal on its side when the deadline passes', async () => {
    const { signal } = new AbortController();
    await expect(withOptions(ref, { deadlineMs: 20 }).untilAborted(signal)).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    expect((await ref.counts()).aborted).toBe(1);
  });

  it('streams in order, no further ahead of its reader than a window', async () => {
    const seen: number[] = [];
    for await (const n of ref.numbers(200)) seen.push(n);
    expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => i));

    const slow = ref.numbers(1_000)[Symbol.asyncIterator]();
    await slow.next();
    const { yielded } = await ref.counts();
    expect(yielded - 200).toBeLessThanOrEqual(1 + 2 * 16);
    await slow.return?.();
    expect((await ref.counts()).closed).toBe(2);
    expect(supervisor.tree().mailboxDepth).toBe(0);
  });

  it('runs the finally blocks of a stream that is left early', async () => {
    for await (const n of ref.numbers(1_000)) if (n === 3) break;
    expect((await ref.counts()).closed).toBe(1);
  });

  it('delivers what a stream yielded before it failed', async () => {
    const seen: number[] = [];
    const read = async (how: 'refuse' | 'crash'): Promise<void> => {
      for await (const n of ref.failsAfter(3, how)) seen.push(n);
    };
    await expect(read('refuse')).rejects.toMatchObject({ code: 'bee_tired', details: { flowers: 3 } });
    expect(seen).toEqual([0, 1, 2]);
    await expect(read('crash')).rejects.toMatchObject({ code: 'actor_crashed' });
    expect(await patient.add(1)).toBe(41);
  });

  it('ends a stream under way when its reader aborts', async () => {
    const controller = new AbortController();
    const stream = withOptions(ref, { signal: controller.signal }).drip(controller.signal)[Symbol.asyncIterator]();
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    const waiting = stream.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect((await ref.counts()).aborted).toBe(1);
  });

  it('fails streams under way when it dies', async () => {
    const stream = ref.numbers(1_000)[Symbol.asyncIterator]();
    await stream.next();
    supervisor.kill('bee');
    const drain = async (): Promise<void> => {
      for (;;) if ((await stream.next()).done === true) return;
    };
    await expect(drain()).rejects.toMatchObject({ code: 'actor_crashed' });
  });

  it('ends in order from inside, and a permanent actor comes back', async () => {
    const back = nextEvent(supervisor, 'restarted');
    await ref.exitInOrder().catch(() => {});
    await back;
    expect(events.some((event) => event.type === 'crashed')).toBe(false);
    expect(await patient.add(1)).toBe(41);
  });

  it('rejects calls under way when it is stopped in order, and later ones at once', async () => {
    const call = ref.never();
    await Promise.all([
      expect(call).rejects.toMatchObject({ code: 'actor_stopped' }),
      supervisor.restart('bee').then(() => ref.add(1)),
    ]);
    await supervisor.stop();
    await expect(patient.add(1)).rejects.toMatchObject({ code: 'actor_down', details: { state: 'stopped' } });
  });

  it('knows nothing of methods that its class does not show', async () => {
    expect(Reflect.get(ref, 'started')).toBeUndefined();
    expect(Reflect.get(ref, 'then')).toBeUndefined();
    expect(await Promise.resolve(ref)).toBe(ref);
  });

  it.each([
    ['WorkerWasp', 'actor_module_not_found'],
    ['BrokenConstructor', 'actor_start_failed'],
  ])('does not start from %s: %s', async (name, code) => {
    const actor = { module: bee({ placement }).actor.module, name };
    await expect(tree([bee({ placement, actor })])).rejects.toMatchObject({ code });
  });

  it('does not start from a module that is not there', async () => {
    const actor = { module: new URL('./fixtures/nowhere.js', import.meta.url), name: 'WorkerBee' };
    await expect(tree([bee({ placement, actor })])).rejects.toMatchObject({ code: 'actor_module_not_found' });
  });

  it('fails its start with the expected error of started(), or actor_start_failed', async () => {
    const actor = { module: bee({ placement }).actor.module, name: 'BrokenStart' };
    const start = (init: string, startDeadlineMs = 30_000) => tree([bee({ placement, actor, init, startDeadlineMs })]);
    await expect(start('expected')).rejects.toMatchObject({ code: 'bee_tired', details: { flowers: 0 } });
    await expect(start('bug')).rejects.toMatchObject({ code: 'actor_start_failed', details: { cause: 'TypeError' } });
    await expect(start('hang', 400)).rejects.toMatchObject({
      code: 'actor_start_failed',
      details: { cause: 'deadline_exceeded' },
    });
  });
});

/** What only a placement of its own survives. */
describe.each(['thread', 'process'] as const)('an actor in a %s of its own', (placement) => {
  it('survives process.exit, an unhandled rejection and a full heap', async () => {
    const { supervisor, events } = await tree([bee({ placement, heapMb: 32 })], { intensity: 20 });
    const ref = withOptions(supervisor.ref(actorKey<WorkerBee>('bee')), { whenDown: 'wait' });
    await expect(ref.exitProcess(3)).rejects.toMatchObject({
      code: 'actor_crashed',
      details: { cause: 'actor_exited' },
    });
    await expect(ref.add(1)).resolves.toBe(1);

    const back = nextEvent(supervisor, 'restarted');
    await ref.rejectUnhandled().catch(() => {});
    await back;
    expect(events.at(-2)?.reason?.message).toContain('RangeError: this has no handler');

    const cause = placement === 'thread' ? 'ERR_WORKER_OUT_OF_MEMORY' : 'actor_exited';
    await expect(ref.eatMemory()).rejects.toMatchObject({ code: 'actor_crashed', details: { cause } });
    await expect(ref.add(1)).resolves.toBe(1);
    await supervisor.stop();
  });

  it('dies in its start: actor_start_failed', async () => {
    const actor = { module: bee({ placement }).actor.module, name: 'BrokenStart' };
    await expect(tree([bee({ placement, actor, init: 'exit' })])).rejects.toMatchObject({
      code: 'actor_start_failed',
      details: { cause: 'actor_exited' },
    });
  });

  it('refuses what cannot be cloned, both ways, and forgets the call', async () => {
    const { supervisor } = await tree([bee({ placement })]);
    const ref = supervisor.ref(actorKey<WorkerBee>('bee'));
    await expect(ref.echo(() => 1)).rejects.toMatchObject({ code: 'not_cloneable' });
    await expect(ref.unsendable()).rejects.toMatchObject({ code: 'not_cloneable' });
    expect(supervisor.tree().mailboxDepth).toBe(0);
    await supervisor.stop();
  });

  it('is ended when it computes for ever', async () => {
    const { supervisor } = await tree([bee({ placement, shutdownMs: 50 })]);
    const ref = supervisor.ref(actorKey<WorkerBee>('bee'));
    const call = ref.spin();
    await Promise.all([expect(call).rejects.toMatchObject({ code: 'actor_stopped' }), supervisor.stop()]);
  });
});

describe('an actor on a thread', () => {
  it('shares memory, takes ports in its init, and gives buffers away', async () => {
    const words = new Int32Array(new SharedArrayBuffer(16));
    const { port1, port2 } = new MessageChannel();
    const { supervisor } = await tree([bee({ placement: 'thread', init: { start: 0, words, port: port2 } })]);
    const ref = supervisor.ref(actorKey<WorkerBee>('bee'));
    expect((await ref.buffer(8)).byteLength).toBe(8);
    await supervisor.stop();
    expect(Array.from(words)).toEqual([1, 0, 1, 0]);
    port1.close();
  });

  it('is woken by interrupt from a wait that it would not leave', async () => {
    const words = new Int32Array(new SharedArrayBuffer(16));
    const interrupt = (): void => {
      Atomics.store(words, 1, 1);
      Atomics.notify(words, 1);
    };
    const { supervisor } = await tree([
      bee({ placement: 'thread', init: { start: 0, words }, interrupt, shutdownMs: 5_000 }),
    ]);
    const call = supervisor.ref(actorKey<WorkerBee>('bee')).park();
    await supervisor.stop();
    expect(await call).toBe('woken');
    expect(words[0]).toBe(1);
  });
});

describe('an actor in a process', () => {
  it('refuses shared memory in its init', async () => {
    const init = { start: 0, words: new Int32Array(new SharedArrayBuffer(16)) };
    await expect(tree([bee({ placement: 'process', init })])).rejects.toMatchObject({ code: 'not_cloneable' });
  });
});
