import { describe, expect, it } from 'vitest';
import { actorKey, withOptions, type ChildSpec, type SupervisionEvent } from '../../src/actor/index.js';
import { AppError, type Clock } from '../../src/base/index.js';
import type { WorkerBee } from './fixtures/worker-bee.js';
import { bee, nextEvent, tree } from './tree.js';

const beeKey = actorKey<WorkerBee>('bee');
const told = (events: readonly SupervisionEvent[]): string[] => events.map(({ type, id }) => `${type} ${id}`);
const none = { first: 0, max: 0 };

describe('children that are started later', () => {
  it('answer, are shown in the tree, die and come back as the others do, and are stopped in reverse', async () => {
    const { supervisor, events } = await tree([bee({ id: 'first', placement: 'inline' })]);
    const own: SupervisionEvent[] = [];
    const child = await supervisor.startChild(bee({ placement: 'thread' }), (event) => own.push(event));
    const ref = withOptions(supervisor.ref(beeKey), { whenDown: 'wait' });
    expect(await ref.add(2)).toBe(2);
    await ref.crash().catch(() => {});
    expect(await withOptions(child.ref(beeKey), { whenDown: 'wait' }).add(3)).toBe(3);
    expect(supervisor.tree().children).toMatchObject([
      { id: 'first', restarts: 0 },
      { id: 'bee', placement: 'thread', restarts: 1, state: 'running' },
    ]);
    await supervisor.stop();
    expect(told(own)).toEqual(['started bee', 'crashed bee', 'restarted bee', 'stopped bee']);
    expect(told(events)).toEqual(['started first', ...told(own), 'stopped first']);
    await expect(supervisor.startChild(bee({ id: 'late', placement: 'inline' }))).rejects.toMatchObject({
      code: 'actor_down',
    });
  });

  it('leave the tree when they are stopped, by handle or by id, and their id is free again', async () => {
    const { supervisor } = await tree([bee({ id: 'first', placement: 'inline' })]);
    const child = await supervisor.startChild(bee({ placement: 'inline' }));
    const ref = child.ref(beeKey);
    await child.stop();
    await child.stop();
    expect(supervisor.tree().children.map(({ id }) => id)).toEqual(['first']);
    await expect(ref.add(1)).rejects.toMatchObject({ code: 'actor_down' });
    expect(() => supervisor.ref(beeKey)).toThrow(expect.objectContaining({ code: 'actor_unknown' }));
    await using again = await supervisor.startChild(bee({ placement: 'inline' }));
    expect(again.ready).toBe(true);
    await supervisor.stopChild('bee');
    expect(again.ready).toBe(false);
    await expect(supervisor.stopChild('bee')).rejects.toMatchObject({ code: 'actor_unknown' });
    await expect(supervisor.stopChild('first')).rejects.toMatchObject({ code: 'invalid_value' });
    await supervisor.stop();
  });

  it('have ids of their own below them, reached by their handle', async () => {
    const spec = (id: string) =>
      ({ id, strategy: 'oneForOne', intensity: 1, periodMs: 1_000, children: [bee({ placement: 'inline' })] }) as const;
    await using supervisor = (await tree([])).supervisor;
    const [a, b] = await Promise.all([supervisor.startChild(spec('a')), supervisor.startChild(spec('b'))]);
    expect(await a.ref(beeKey).add(1)).toBe(1);
    expect(await b.ref(beeKey).add(5)).toBe(5);
    expect(() => supervisor.ref(beeKey)).toThrow(expect.objectContaining({ code: 'actor_unknown' }));
    const nested = await a.startChild(bee({ id: 'more', placement: 'inline' }));
    expect(nested.id).toBe('more');
    expect(a.tree().children.map(({ id }) => id)).toEqual(['bee', 'more']);
  });

  it('are refused when their id is taken, when there are too many, and when their spec is wrong', async () => {
    await using supervisor = (await tree([bee({ id: 'first', placement: 'inline' })], { maxChildren: 2 })).supervisor;
    const starting = supervisor.startChild(bee({ placement: 'thread' }));
    const refusal = async (spec: ChildSpec): Promise<unknown> =>
      supervisor.startChild(spec).then(
        () => 'started',
        (error: AppError) => error.code,
      );
    expect(await refusal(bee({ placement: 'inline' }))).toBe('actor_spec_invalid');
    expect(await refusal(bee({ id: 'first', placement: 'inline' }))).toBe('actor_spec_invalid');
    expect(await refusal(bee({ id: 'third', placement: 'inline' }))).toBe('supervisor_full');
    expect(await refusal(bee({ id: 'third', placement: 'inline', mailbox: 0 }))).toBe('actor_spec_invalid');
    await (await starting).stop();
    expect(await refusal(bee({ id: 'third', placement: 'inline' }))).toBe('started');
  });

  it('leave nothing behind when they do not start, and count nothing', async () => {
    const { supervisor, events } = await tree([], { intensity: 0 });
    const { module } = bee({ placement: 'inline' }).actor;
    const broken = bee({ placement: 'thread', actor: { module, name: 'Nobody' } });
    await expect(supervisor.startChild(broken)).rejects.toMatchObject({ code: 'actor_module_not_found' });
    expect([supervisor.tree().children, events, supervisor.ready]).toEqual([[], [], true]);
    await supervisor.stop();
  });

  it('keep none of the others waiting while they start', async () => {
    const words = new Int32Array(new SharedArrayBuffer(16));
    await using supervisor = (await tree([])).supervisor;
    const other = await supervisor.startChild(bee({ id: 'other', placement: 'inline' }));
    const slow = supervisor.startChild(bee({ placement: 'thread', init: { start: 0, words, meet: 2 } }));
    await other.stop();
    expect(supervisor.tree().children.map(({ state }) => state)).toEqual(['starting']);
    Atomics.add(words, 2, 1);
    Atomics.notify(words, 2);
    expect((await slow).ready).toBe(true);
  });

  it('can be stopped while they start: the start is refused', async () => {
    const words = new Int32Array(new SharedArrayBuffer(16));
    const { supervisor, events } = await tree([], { intensity: 0 });
    const starting = supervisor.startChild(bee({ placement: 'thread', init: { start: 0, words, meet: 2 } }));
    const refused = expect(starting).rejects.toMatchObject({ code: 'actor_down' });
    while (supervisor.tree().children.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await supervisor.stopChild('bee');
    await refused;
    expect([supervisor.tree().children, events, supervisor.ready]).toEqual([[], [], true]);
    await supervisor.stop();
  });

  it('are shown as escalated when a temporary supervisor gave up; the tree goes on', async () => {
    const { supervisor } = await tree([bee({ id: 'first', placement: 'inline' })], { intensity: 0 });
    const child = await supervisor.startChild({
      id: 'later',
      strategy: 'oneForOne',
      intensity: 0,
      periodMs: 1_000,
      restart: 'temporary',
      children: [bee({ placement: 'inline' })],
    });
    const over = nextEvent(supervisor, 'stopped', 'later');
    await child
      .ref(beeKey)
      .crash()
      .catch(() => {});
    await over;
    await expect(child.ref(beeKey).add(1)).rejects.toMatchObject({ code: 'supervisor_escalated' });
    expect([child.ready, supervisor.ready]).toEqual([false, true]);
    expect(supervisor.tree().children.map(({ state }) => state)).toEqual(['running', 'escalated']);
    await child.stop();
    expect(supervisor.tree().children).toHaveLength(1);
    await supervisor.stop();
  });
});

describe('what a supervisor prepares', () => {
  it.each([
    ['oneForAll', 'first', 2],
    ['oneForAll', 'last', 2],
    ['restForOne', 'first', 2],
    ['restForOne', 'last', 1],
    ['oneForOne', 'first', 1],
  ] as const)('is made before the start and before whole restarts: %s, the %s falls', async (strategy, id, times) => {
    const log: string[] = [];
    const note = (name: string) => () => {
      log.push(`init ${name}`);
      return { start: 0 };
    };
    const children = ['first', 'last'].map((name) => bee({ id: name, placement: 'inline', init: note(name) }));
    const prepare = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      log.push('prepared');
    };
    const { supervisor } = await tree(children, { strategy, prepare });
    expect(log).toEqual(['prepared', 'init first', 'init last']);
    const back = nextEvent(supervisor, 'restarted', strategy === 'oneForOne' ? id : 'last');
    supervisor.kill(id);
    await back;
    expect(log.filter((line) => line === 'prepared')).toHaveLength(times);
    if (times === 2) expect(log.slice(3)).toEqual(['prepared', 'init first', 'init last']);
    await supervisor.stop();
  });

  it('fails the start as a child does: with its own error, or actor_start_failed', async () => {
    const fail = (thrown: Error) => tree([bee({ placement: 'inline' })], { prepare: () => Promise.reject(thrown) });
    await expect(fail(new AppError('bee_tired', 'no'))).rejects.toMatchObject({ code: 'bee_tired' });
    await expect(fail(new TypeError('a bug'))).rejects.toMatchObject({
      code: 'actor_start_failed',
      message: 'supervisor "top" did not start: a bug',
    });
  });

  it('counts as one more restart when it fails before one, and escalates', async () => {
    let calls = 0;
    const prepare = (): void => {
      if (++calls > 1) throw new TypeError('a bug');
    };
    const { supervisor, events } = await tree([bee({ placement: 'inline' })], {
      strategy: 'oneForAll',
      intensity: 2,
      backoffMs: none,
      prepare,
    });
    const over = nextEvent(supervisor, 'escalated');
    supervisor.kill('bee');
    await over;
    expect(told(events)).toEqual(['started bee', 'crashed bee', 'crashed top', 'crashed top', 'escalated top']);
    expect(calls).toBe(3);
    await supervisor.stop();
  });

  it('is ended by its deadline, and by a stop meanwhile', async () => {
    const timers: (() => void)[] = [];
    const clock: Clock = {
      nowMs: () => 0,
      unixSeconds: () => 0,
      after(delayMs, run) {
        if (delayMs === 60_000) timers.push(run);
        return () => {};
      },
    };
    let calls = 0;
    let aborted: unknown;
    const prepare = (signal: AbortSignal): Promise<void> => {
      signal.addEventListener('abort', () => (aborted = signal.reason));
      return ++calls === 1 ? Promise.resolve() : new Promise(() => {});
    };
    const { supervisor, events } = await tree([bee({ placement: 'inline' })], {
      strategy: 'oneForAll',
      backoffMs: none,
      clock,
      prepare,
    });
    const late = nextEvent(supervisor, 'crashed', 'top');
    supervisor.kill('bee');
    while (calls < 2) await new Promise((resolve) => setImmediate(resolve));
    timers.at(-1)?.();
    expect((await late).reason).toMatchObject({ code: 'actor_start_failed' });
    while (calls < 3) await new Promise((resolve) => setImmediate(resolve));
    await supervisor.stop();
    expect(aborted).toMatchObject({ code: 'actor_down' });
    expect(told(events).filter((line) => line === 'crashed top')).toHaveLength(1);
  });
});

describe('a key of an actor', () => {
  it('has an id that is not empty, and is not taken for one', async () => {
    expect(() => actorKey('')).toThrow(expect.objectContaining({ code: 'invalid_value' }));
    await using supervisor = (await tree([bee({ placement: 'inline' })])).supervisor;
    const wrong = 'bee' as unknown as typeof beeKey;
    expect(() => supervisor.ref(wrong)).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });
});
