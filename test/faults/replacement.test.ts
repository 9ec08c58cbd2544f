import { describe, expect, it } from 'vitest';
import { actorKey, createSupervisor, isLost, openProducer, type ChildSpec, type Ref } from '../../src/actor/index.js';
import { AppError } from '../../src/base/index.js';
import { EngineClient, type EngineActor } from '../../src/engine/index.js';
import { allRunning } from './demo.js';
import type { DeafActor } from './fixtures/deaf-actor.js';

describe('a thread group whose members die at the same time', () => {
  it('does not start anew while a thread of the old one still runs', async () => {
    const begun = new Int32Array(new SharedArrayBuffer(4));
    const actor = { module: new URL('./fixtures/deaf-actor.js', import.meta.url), name: 'DeafActor' };
    const member = { actor, init: begun, restart: 'permanent', shutdownMs: 0, placement: 'thread' } as const;
    const children: ChildSpec[] = [
      { id: 'slow', ...member },
      { id: 'quick', ...member },
    ];
    await using supervisor = await createSupervisor({
      id: 'team',
      strategy: 'oneForAll',
      intensity: 2,
      periodMs: 60_000,
      children,
    });
    const working = supervisor.ref(actorKey<DeafActor>('slow')).work().catch(isLost);
    while (Atomics.load(begun, 0) === 0) await supervisor.ref(actorKey<DeafActor>('quick')).rest();

    const begin = performance.now();
    const made = new Promise<number>((resolve) => process.once('worker', () => resolve(performance.now() - begin)));
    supervisor.kill('quick');
    supervisor.kill('slow');
    // The native call takes longer than the death of a thread at rest.
    expect(await made).toBeGreaterThan(100);
    await allRunning(supervisor);
    expect(await working).toBe(true);
  });
});

describe('the pause before a restart', () => {
  it('keeps the process alive, since a caller may wait for its replacement', async () => {
    const actor = { module: new URL('./fixtures/deaf-actor.js', import.meta.url), name: 'DeafActor' };
    const init = new Int32Array(1);
    const child = { id: 'frail', actor, init, restart: 'permanent', shutdownMs: 0, placement: 'inline' } as const;
    const backoffMs = { first: 60_000, max: 60_000 };
    const limits = { strategy: 'oneForOne', intensity: 5, periodMs: 60_000, backoffMs } as const;
    const supervisor = await createSupervisor({ id: 'top', ...limits, children: [child] });
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    supervisor.kill('frail');
    await allRunning(supervisor);
    const before = timers();
    const crashed = new Promise<void>((resolve) => {
      supervisor.onEvent(({ type }) => type === 'crashed' && resolve());
    });
    supervisor.kill('frail');
    await crashed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBe(before + 1);
    await supervisor.stop();
    expect(timers()).toBe(before);
  });
});

describe('the engine’s client', () => {
  const request = {
    promptTokenIds: [1],
    maxTokens: 5,
    sampling: { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 0 },
    stopTokenIds: [],
    ignoreStop: true,
  };

  function fakeEngine(): { ref: Ref<EngineActor>; submitted: number[] } {
    const submitted: number[] = [];
    const ref: Ref<EngineActor> = {
      submit: async (id) => submitted.push(id) > 0,
      cancel: async () => {},
      forward: async () => new Float32Array(1),
      stats: async () => ({
        running: 0,
        waiting: 0,
        freeBlocks: 0,
        blocks: 0,
        cachedBlocks: 0,
        drafted: 0,
        accepted: 0,
        masked: 0,
        lateMasks: 0,
        heldMasks: 0,
        tokensPerSecond: 0,
        stepMs: 0,
      }),
    };
    return { ref, submitted };
  }

  it('gives a request once to an engine that runs but was not yet told of', async () => {
    const client = new EngineClient({ contextLength: 100, vocabSize: 10 });
    const first = fakeEngine();
    client.openRing(1024);
    client.attach(first.ref);
    const begun = client.generate(request).next().catch(isLost);
    expect(first.submitted).toEqual([1]);
    // The engine dies, the next one is being made with its ring, and a request comes.
    client.openRing(1024);
    const second = fakeEngine();
    const later = client.generate(request).next().catch(isLost);
    client.attach(second.ref);
    expect(first.submitted).toEqual([1]);
    expect(second.submitted).toEqual([1, 2]);
    client.close(new AppError('engine_closed', 'over'));
    await Promise.all([begun, later]);
  });

  it('keeps no ring open that was asked for after it was closed', () => {
    const client = new EngineClient({ contextLength: 100, vocabSize: 10 });
    client.close(new AppError('engine_closed', 'over'));
    expect(openProducer(client.openRing(1024)).closed).toBe(true);
  });
});
