import { describe, expect, it } from 'vitest';
import { actorKey, createSupervisor, withOptions } from '../../src/actor/index.js';
import { killAtMessage } from '../../src/actor/faults.js';
import { AppError, type Clock } from '../../src/base/index.js';
import type { WorkerBee } from './fixtures/worker-bee.js';
import { checkSupervisor, checkSupervisorBursts } from './supervisor-model-run.js';
import { bee, nextEvent, tree } from './tree.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a supervisor', () => {
  it('does what the reference model does, on 500 random trees and command sequences', () => checkSupervisor(500));

  it('comes to rest whole or escalated after bursts of failures', () => checkSupervisorBursts(200));

  it('stops what it has started, in reverse, when a child does not start', async () => {
    const events: string[] = [];
    const children = [
      bee({ id: 'a', placement: 'inline' }),
      bee({ id: 'b', placement: 'thread' }),
      bee({
        id: 'c',
        placement: 'inline',
        actor: { module: bee({ placement: 'inline' }).actor.module, name: 'Nobody' },
      }),
    ];
    const spec = { id: 'top', strategy: 'oneForOne', intensity: 1, periodMs: 1_000, children } as const;
    await expect(createSupervisor(spec, (event) => events.push(`${event.type} ${event.id}`))).rejects.toMatchObject({
      code: 'actor_module_not_found',
    });
    expect(events).toEqual(['started a', 'started b', 'stopped b', 'stopped a']);
  });

  it('starts children together that say so, at first and after a crash', async () => {
    const words = new Int32Array(new SharedArrayBuffer(16));
    let generation = 0;
    const together = (id: string): ReturnType<typeof bee> => {
      const init = (): object => ({ start: 0, words, meet: 3 * (id === 'a' ? ++generation : generation) });
      return bee({ id, placement: 'thread', init, startsBeside: true });
    };
    const children = [together('a'), together('b'), together('c'), bee({ id: 'last', placement: 'inline' })];
    const { supervisor, events } = await tree(children, { strategy: 'oneForAll' });
    expect(words[2]).toBe(3);
    expect(events.at(-1)).toMatchObject({ type: 'started', id: 'last' });
    const back = nextEvent(supervisor, 'restarted', 'last');
    await supervisor
      .ref(actorKey<WorkerBee>('b'))
      .crash()
      .catch(() => {});
    await back;
    expect(words[2]).toBe(6);
    await supervisor.stop();
  });

  it('stops those that started together with a child that did not', async () => {
    const events: string[] = [];
    const { module } = bee({ placement: 'inline' }).actor;
    const children = [
      bee({ id: 'a', placement: 'thread', actor: { module, name: 'Nobody' } }),
      bee({ id: 'b', placement: 'thread', startsBeside: true }),
      bee({ id: 'c', placement: 'inline' }),
    ];
    const spec = { id: 'top', strategy: 'oneForAll', intensity: 1, periodMs: 1_000, children } as const;
    await expect(createSupervisor(spec, (event) => events.push(`${event.type} ${event.id}`))).rejects.toMatchObject({
      code: 'actor_module_not_found',
    });
    expect(events).toEqual(['started b', 'stopped b']);
  });

  it('pauses before the second and later restarts of a period, doubling up to the cap', async () => {
    const pauses: number[] = [];
    let nowMs = 0;
    const clock: Clock = {
      nowMs: () => nowMs,
      unixSeconds: () => 0,
      after(delayMs, run) {
        if (delayMs >= 1_000) return () => {}; // deadlines
        pauses.push(delayMs);
        queueMicrotask(run);
        return () => {};
      },
    };
    const { supervisor } = await tree([bee({ placement: 'inline' })], {
      clock,
      intensity: 100,
      backoffMs: { first: 100, max: 350 },
    });
    const ref = supervisor.ref(actorKey<WorkerBee>('bee'));
    for (let i = 0; i < 5; i++) {
      const back = nextEvent(supervisor, 'restarted');
      await ref.crash().catch(() => {});
      await back;
    }
    expect(pauses).toEqual([100, 200, 350, 350]);
    nowMs += 60_000;
    const back = nextEvent(supervisor, 'restarted');
    await ref.crash().catch(() => {});
    await back;
    expect(pauses).toHaveLength(4);
    await supervisor.stop();
  });

  it('gives up past its intensity: not ready, escalated, every ref says so, the process lives', async () => {
    const { supervisor, events } = await tree([bee({ placement: 'thread' }), bee({ id: 'b', placement: 'inline' })], {
      intensity: 1,
      backoffMs: { first: 0, max: 0 },
    });
    const patient = withOptions(supervisor.ref(actorKey<WorkerBee>('bee')), { whenDown: 'wait' });
    await patient.crash().catch(() => {});
    expect(await patient.add(1)).toBe(1);
    const waiting = nextEvent(supervisor, 'escalated');
    await patient.crash().catch(() => {});
    const late = patient.add(1);
    expect((await waiting).reason).toMatchObject({ code: 'supervisor_escalated' });
    await expect(late).rejects.toMatchObject({ code: 'supervisor_escalated' });
    await expect(supervisor.ref(actorKey<WorkerBee>('b')).add(1)).rejects.toMatchObject({
      code: 'supervisor_escalated',
    });
    expect(supervisor.ready).toBe(false);
    expect(events.at(-1)?.type).toBe('escalated');
    await supervisor.stop();
  });

  it('counts no death that is explained, nor those before it, and pauses for none of them', async () => {
    const asked: string[] = [];
    const { supervisor, events } = await tree([bee({ placement: 'inline' })], {
      intensity: 1,
      backoffMs: { first: 60_000, max: 60_000 },
      isExplained: ({ code }) => asked.push(code) % 2 === 0,
    });
    // Each second one is; two in a row that are not would be too many.
    for (let deaths = 0; deaths < 6; deaths++) {
      const back = nextEvent(supervisor, 'restarted');
      if (deaths % 2 === 0) supervisor.kill('bee');
      else supervisor.kill('bee', new AppError('engine_hung', 'it hangs'));
      await back;
    }
    expect(asked).toEqual([
      'actor_killed',
      'engine_hung',
      'actor_killed',
      'engine_hung',
      'actor_killed',
      'engine_hung',
    ]);
    expect(events.filter(({ type }) => type === 'escalated')).toEqual([]);
    await supervisor.stop();
  });

  it('counts a start that fails as one more restart, and escalates', async () => {
    let broken = false;
    const actor = { module: bee({ placement: 'inline' }).actor.module, name: 'WorkerBee' };
    const init = (): { start: number } => {
      if (broken) throw new TypeError('no init today');
      return { start: 0 };
    };
    const { supervisor, events } = await tree([bee({ placement: 'inline', actor, init })], {
      intensity: 3,
      backoffMs: { first: 0, max: 0 },
    });
    broken = true;
    const over = nextEvent(supervisor, 'escalated');
    supervisor.kill('bee');
    await over;
    expect(events.filter((event) => event.type === 'crashed')).toHaveLength(4);
    expect(events.at(-2)?.reason).toMatchObject({ code: 'actor_start_failed' });
    await supervisor.stop();
  });

  it('restarts a supervisor that gave up, as a child of another', async () => {
    const nested = {
      id: 'inner',
      strategy: 'oneForAll',
      intensity: 0,
      periodMs: 1_000,
      children: [bee({ id: 'a', placement: 'inline' }), bee({ id: 'b', placement: 'thread' })],
    } as const;
    const { supervisor, events } = await tree([nested]);
    const a = withOptions(supervisor.ref(actorKey<WorkerBee>('a')), { whenDown: 'wait' });
    const b = withOptions(supervisor.ref(actorKey<WorkerBee>('b')), { whenDown: 'wait' });
    await b.add(5);
    const back = nextEvent(supervisor, 'restarted', 'inner');
    await a.crash().catch(() => {});
    await back;
    expect(await b.add(5)).toBe(5);
    expect(events.map((event) => `${event.type} ${event.id}`)).toEqual(
      ['started a', 'started b', 'started inner', 'crashed a', 'stopped b', 'escalated inner'].concat([
        'restarted a',
        'restarted b',
        'restarted inner',
      ]),
    );
    expect(supervisor.ready).toBe(true);
    await supervisor.stop();
  });

  it('stops at once while a child is starting, or waits to be started again', async () => {
    const { supervisor } = await tree([bee({ placement: 'thread' })], { backoffMs: { first: 60_000, max: 60_000 } });
    const patient = withOptions(supervisor.ref(actorKey<WorkerBee>('bee')), { whenDown: 'wait' });
    await patient.crash().catch(() => {});
    const starting = patient.add(1);
    await supervisor.stop();
    await expect(starting).rejects.toMatchObject({ code: 'actor_down' });
  });

  it('tells the live tree as data', async () => {
    const { supervisor } = await tree([
      bee({ placement: 'inline' }),
      {
        id: 'inner',
        strategy: 'restForOne',
        intensity: 1,
        periodMs: 10,
        children: [bee({ id: 'x', placement: 'thread' })],
      },
    ]);
    void supervisor.ref(actorKey<WorkerBee>('x')).never();
    expect(structuredClone(supervisor.tree())).toMatchObject({
      id: 'top',
      placement: 'supervisor',
      restarts: 0,
      mailboxDepth: 1,
      state: 'running',
      children: [
        { id: 'bee', placement: 'inline', restarts: 0, mailboxDepth: 0, state: 'running', children: [] },
        { id: 'inner', placement: 'supervisor', mailboxDepth: 1, children: [{ id: 'x', mailboxDepth: 1 }] },
      ],
    });
    expect(supervisor.tree().uptimeMs).toBeGreaterThan(0);
    await supervisor.stop();
  });

  it.each([
    ['an id twice', [bee({ placement: 'inline' }), bee({ placement: 'inline' })], {}],
    ['a negative intensity', [], { intensity: -1 }],
    ['a period of nothing', [], { periodMs: 0 }],
    ['a mailbox without room', [bee({ placement: 'inline', mailbox: 0 })], {}],
    ['a deadline that is not a number', [bee({ placement: 'inline', callDeadlineMs: Number.NaN })], {}],
  ])('refuses a spec with %s', async (_, children, spec) => {
    await expect(tree(children, spec)).rejects.toMatchObject({ code: 'actor_spec_invalid' });
  });

  it('does not know actors that it does not have', async () => {
    await using supervisor = (await tree([])).supervisor;
    expect(() => supervisor.ref(actorKey('nobody'))).toThrow(expect.objectContaining({ code: 'actor_unknown' }));
    await expect(supervisor.restart('nobody')).rejects.toMatchObject({ code: 'actor_unknown' });
  });
});

describe.each(['inline', 'thread', 'process'] as const)('fault injection, %s', (placement) => {
  it.each(['before', 'after'] as const)('kills an actor %s its n-th message, once', async (when) => {
    const { supervisor, events } = await tree([bee({ placement })]);
    const ref = supervisor.ref(actorKey<WorkerBee>('bee'));
    const fault = killAtMessage(supervisor, 'bee', 3, when);
    expect(await ref.add(1)).toBe(1);
    expect(await ref.add(1)).toBe(2);
    await expect(ref.add(1)).rejects.toMatchObject({ code: 'actor_crashed', details: { cause: 'actor_killed' } });
    expect(await withOptions(ref, { whenDown: 'wait' }).add(1)).toBe(1);
    expect(fault).toMatchObject({ fired: true, messages: 4 });
    fault.clear();
    expect(await ref.add(1)).toBe(2);
    expect(fault.messages).toBe(4);
    expect(events.map((event) => event.type)).toEqual(['started', 'crashed', 'restarted']);
    await supervisor.stop();
    await tick();
  });
});
