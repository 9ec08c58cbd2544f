import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../../src/engine/index.js';
import { Watchdog } from '../../src/engine/client/watchdog.js';
import type { TinyModel } from '../support/tiny-model.js';
import { HandClock } from '../http/hand-clock.js';
import { openDemo } from './demo.js';
import {
  createModel,
  outcomeOf,
  outcomesOf,
  POISON,
  requestOf,
  startBrokenThreadGroup,
  type BrokenThreadGroup,
} from './broken-thread-group.js';

const [A = 0] = POISON;
/** One of them has so much of it that each thread has a part in its share. */
const requests = [requestOf(0), { ...requestOf(1), promptTokenIds: Array<number>(60).fill(A) }, requestOf(2)];
/** Far more than a step of the tiny model takes, on a machine that other suites share. */
const STEP_TIMEOUT_MS = 1_000;

describe('a thread whose kernel computes for ever', () => {
  const groups: BrokenThreadGroup[] = [];
  const models = new Map<number, TinyModel>();
  let expected: (number[] | string)[];

  beforeAll(async () => {
    for (const threads of [1, 2]) models.set(threads, await createModel(threads));
    await using threadGroup = await startBrokenThreadGroup(models.get(2) as TinyModel, { threads: 2 });
    expected = await outcomesOf(threadGroup.client, requests);
    expect(expected.map((tokens) => tokens.length)).toEqual([12, 12, 12]);
  });
  afterEach(async () => {
    for (const threadGroup of groups.splice(0)) await threadGroup[Symbol.asyncDispose]();
  });

  it.each([
    ['wasm-loop', 'engine', 1],
    ['js-loop', 'engine', 1],
    ['wasm-loop', 'engine', 2],
    ['wasm-loop', 'compute-1', 2],
    ['js-loop', 'compute-1', 2],
  ] as const)('is ended, and all go on with the same tokens: %s on %s of %i', async (harm, victim, threads) => {
    const model = models.get(threads) as TinyModel;
    const faults = [{ tokenId: A, harm, times: 1 }];
    const threadGroup = await startBrokenThreadGroup(model, {
      threads,
      victim,
      faults,
      stepTimeoutMs: STEP_TIMEOUT_MS,
    });
    groups.push(threadGroup);
    expect(await outcomesOf(threadGroup.client, requests)).toEqual(expected);
    expect(threadGroup.deaths).toEqual([{ id: 'engine', code: 'engine_hung' }]);
    expect(threadGroup.supervisor.ready).toBe(true);
  });

  it('makes its request poisonous at the second time, and others go on', async () => {
    const threadGroup = await startBrokenThreadGroup(models.get(2) as TinyModel, {
      threads: 2,
      faults: [{ tokenId: A, harm: 'wasm-loop' }],
      stepTimeoutMs: STEP_TIMEOUT_MS,
    });
    groups.push(threadGroup);
    const alone = threadGroup.client.generate(requestOf(1, A)).next();
    await expect(alone).rejects.toMatchObject({
      code: 'request_poisonous',
      details: { deaths: 2, cause: 'engine_hung' },
    });
    expect(await outcomeOf(threadGroup.client, requestOf(0))).toEqual(expected[0]);
  });
});

it.each([
  ['thread', 12_345, [12_345]],
  ['thread', undefined, [60_000]],
  ['inline', 12_345, []],
] as const)(
  'a model with its engine %s is watched with a bound of %s as %j',
  async (placement, stepTimeoutMs, bounds) => {
    const watched = vi.spyOn(EngineClient.prototype, 'watch');
    await using _ = await openDemo({ placement, threads: 1, stepTimeoutMs });
    expect(watched.mock.calls.map(([{ timeoutMs }]) => timeoutMs)).toEqual(bounds);
    watched.mockRestore();
  },
);

/** An engine's signs of life, by hand. */
interface Watched {
  beats: number;
  medianStepMs: number;
  isAwaited: boolean;
  isDebugged: boolean;
  readonly hung: number[];
}

const TIMEOUT_MS = 60_000;
const LOOK_MS = TIMEOUT_MS / 32;

function watch(timeoutMs = TIMEOUT_MS): { clock: HandClock; watched: Watched; watchdog: Watchdog } {
  const clock = new HandClock();
  const watched: Watched = { beats: 0, medianStepMs: 0, isAwaited: true, isDebugged: false, hung: [] };
  const watchdog = new Watchdog({
    timeoutMs,
    clock,
    beats: () => watched.beats,
    medianStepMs: () => watched.medianStepMs,
    isAwaited: () => watched.isAwaited,
    isDebugged: () => watched.isDebugged,
    onHung: (silentMs) => watched.hung.push(silentMs),
  });
  watchdog.wake();
  return { clock, watched, watchdog };
}

/** Time passes as it does on a machine that runs: a look at a time. */
function pass(clock: HandClock, ms: number, meanwhile: () => void = () => {}): void {
  for (let passed = 0; passed < ms; passed += LOOK_MS) {
    meanwhile();
    clock.advance(LOOK_MS);
  }
}

describe('a watchdog', () => {
  it('tells of a silence of its bound, and not of a shorter one', () => {
    const { clock, watched } = watch();
    pass(clock, TIMEOUT_MS - LOOK_MS);
    expect(watched.hung).toEqual([]);
    pass(clock, 3 * LOOK_MS);
    expect(watched.hung).toHaveLength(1);
    expect(watched.hung[0]).toBeGreaterThanOrEqual(TIMEOUT_MS);
  });

  it('tells of it again when the silence goes on', () => {
    const { clock, watched } = watch();
    pass(clock, 3 * TIMEOUT_MS);
    expect(watched.hung).toHaveLength(2);
  });

  it('bears a step of any length that goes on, pass by pass', () => {
    const { clock, watched } = watch();
    for (let ops = 0; ops < 20; ops++) {
      pass(clock, 0.9 * TIMEOUT_MS);
      watched.beats++;
    }
    expect(watched.hung).toEqual([]);
  });

  it('gives a slow model 50 times its median step', () => {
    const { clock, watched } = watch();
    watched.medianStepMs = 5_000;
    pass(clock, 249_000);
    expect(watched.hung).toEqual([]);
    pass(clock, 6_000);
    expect(watched.hung).toHaveLength(1);
  });

  it('bears ops that are 8 times as long as the longest before them', () => {
    const { clock, watched } = watch();
    pass(clock, 30_000);
    watched.beats++;
    pass(clock, 220_000);
    expect(watched.hung).toEqual([]);
    watched.beats++;
    pass(clock, 1_700_000);
    expect(watched.hung).toEqual([]);
    pass(clock, 100_000);
    expect(watched.hung).toHaveLength(1);
  });

  it('counts no sleep of the machine', () => {
    const { clock, watched } = watch();
    pass(clock, TIMEOUT_MS / 2);
    // The lid is closed for a night: one look comes late.
    clock.sleep(8 * 3_600_000);
    clock.advance(0);
    expect(watched.hung).toEqual([]);
    watched.beats++;
    pass(clock, TIMEOUT_MS / 2);
    expect(watched.hung).toEqual([]);
  });

  it('counts no time in which no caller waits, and sets no timer then', () => {
    const { clock, watched, watchdog } = watch();
    pass(clock, TIMEOUT_MS / 2);
    watched.isAwaited = false;
    pass(clock, 10 * TIMEOUT_MS);
    expect(clock.waiting).toBe(0);
    watched.isAwaited = true;
    watchdog.wake();
    pass(clock, TIMEOUT_MS / 2);
    expect(watched.hung).toEqual([]);
    pass(clock, TIMEOUT_MS);
    expect(watched.hung).toHaveLength(1);
  });

  it('counts no time under a debugger', () => {
    const { clock, watched } = watch();
    watched.isDebugged = true;
    pass(clock, 10 * TIMEOUT_MS);
    expect(watched.hung).toEqual([]);
  });

  it('never looks with a bound of Infinity, nor after it was stopped', () => {
    expect(watch(Infinity).clock.waiting).toBe(0);
    const { clock, watchdog } = watch();
    watchdog.stop();
    expect(clock.waiting).toBe(0);
  });
});
