import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/index.js';
import type { ModelLease } from '../../../src/models/index.js';
import { FakeModels, settled, type FakeModel } from './fake-models.js';

const SIZES: Readonly<Record<string, number>> = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 7 };
const BUDGET = 6;
const names = fc.constantFrom(...Object.keys(SIZES));

/** The pool in its plainest form: a list, least recently used first, and who is in use. */
class PlainPool {
  loaded: string[] = [];
  readonly held: string[] = [];

  acquire(name: string): string {
    if ((SIZES[name] ?? 0) > BUDGET) return 'out_of_memory';
    if (!this.loaded.includes(name)) {
      const gone = this.#gone(name);
      if (gone === undefined) return 'models_busy';
      this.loaded = this.loaded.filter((one) => !gone.includes(one));
    }
    this.#touch(name);
    this.held.push(name);
    return 'ok';
  }

  release(index: number): void {
    this.#touch(this.held.splice(index, 1)[0] ?? '');
  }

  unload(name: string): void {
    this.loaded = this.loaded.filter((one) => one !== name);
  }

  #touch(name: string): void {
    if (this.held.includes(name) && !this.loaded.includes(name)) return;
    this.loaded = [...this.loaded.filter((one) => one !== name), name];
  }

  /** Tries every set of idle models: of those that make room, the one whose last use is longest ago, name by name. */
  #gone(name: string): string[] | undefined {
    const idle = this.loaded.filter((one) => !this.held.includes(one));
    const size = (set: readonly string[]): number => set.reduce((sum, one) => sum + (SIZES[one] ?? 0), 0);
    const missing = size(this.loaded) + (SIZES[name] ?? 0) - BUDGET;
    const sets = Array.from({ length: 2 ** idle.length }, (_, bits) => idle.filter((_one, i) => (bits >> i) & 1));
    const enough = sets.filter((set) => size(set) >= missing);
    // The value of a set as a number in base 2, the most recently used first: the smallest disturbs the least.
    const weight = (set: readonly string[]): number => set.reduce((sum, one) => sum + 2 ** idle.indexOf(one), 0);
    return enough.toSorted((x, y) => weight(x) - weight(y))[0];
  }
}

type Step = { readonly kind: 'acquire' | 'unload'; readonly name: string } | { readonly kind: 'release'; at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('acquire' as const), name: names }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unload' as const), name: names }) },
);

describe('the pool, whatever is asked of it', () => {
  it('holds the models that a plain list of least recent use holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const fakes = new FakeModels(SIZES);
        const pool = fakes.pool(BUDGET, 0);
        const plain = new PlainPool();
        const leases: ModelLease<FakeModel>[] = [];
        for (const one of steps) {
          if (one.kind === 'acquire') {
            const found = await pool.acquire(one.name).catch((error: unknown) => (error as { code: string }).code);
            if (typeof found !== 'string') leases.push(found);
            expect(typeof found === 'string' ? found : 'ok').toBe(plain.acquire(one.name));
          } else if (one.kind === 'release' && leases.length > 0) {
            const at = one.at % leases.length;
            leases.splice(at, 1)[0]?.[Symbol.dispose]();
            plain.release(at);
          } else if (one.kind === 'unload' && !plain.held.includes(one.name)) {
            await pool.unload(one.name);
            plain.unload(one.name);
          }
          await settled();
          expect(
            pool
              .list()
              .map(({ directory }) => directory)
              .toSorted(),
          ).toEqual(plain.loaded.toSorted());
        }
        expect(fakes.maxBytes).toBeLessThanOrEqual(BUDGET);
        await pool[Symbol.asyncDispose]();
        expect([pool.list(), fakes.bytes]).toEqual([[], 0]);
      }),
      { numRuns: 200 },
    );
  });

  it('never passes its budget, evicts what is held, opens a model twice or leaks, in any order of events', async () => {
    const call = fc.record({ name: names, isAborted: fc.boolean(), unloads: fc.option(names, { freq: 6 }) });
    const calls = fc.array(call, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), calls, fc.subarray(['a', 'd']), async (scheduler, asked, broken) => {
        const pass = async (what: string): Promise<void> => scheduler.schedule(Promise.resolve(), what);
        const fakes = new FakeModels(SIZES, async (what) => {
          expect(fakes.bytes).toBeLessThanOrEqual(BUDGET);
          await pass(what);
        });
        for (const name of broken) fakes.broken.add(name);
        for (const name of ['b', 'c']) fakes.deaf.add(name);
        const pool = fakes.pool(BUDGET, 1, scheduledClock(pass));
        const unloaded = new Set<FakeModel>();
        const runs = asked.map(async ({ name, isAborted, unloads }) => {
          const controller = new AbortController();
          await pass(`ask ${name}`);
          if (isAborted) void pass(`abort ${name}`).then(() => controller.abort('left'));
          try {
            using lease = await pool.acquire(name, controller.signal);
            await pass(`use ${name}`);
            if (!unloaded.has(lease.model)) expect(lease.model.isOpen).toBe(true);
            expect(fakes.made.filter(({ id, isOpen }) => id === name && isOpen).length).toBeLessThanOrEqual(1);
          } catch (error) {
            const { code, message } = error as { code?: string; message?: string };
            expect(code ?? message ?? error).toMatch(/^(models_busy|out_of_memory|engine_closed|left|broken [ad])$/);
          }
          if (unloads === null) return;
          for (const model of fakes.made) if (model.id === unloads) unloaded.add(model);
          await pool.unload(unloads);
        });
        await scheduler.waitFor(Promise.all(runs));
        expect(pool.list().every(({ runningCalls }) => runningCalls === 0)).toBe(true);
        await scheduler.waitFor(pool[Symbol.asyncDispose]());
        expect([pool.list(), fakes.bytes]).toEqual([[], 0]);
        expect(fakes.maxBytes).toBeLessThanOrEqual(BUDGET);
      }),
      { numRuns: 300 },
    );
  });
});

/** A clock whose timers are events like all others. */
function scheduledClock(pass: (what: string) => Promise<void>): Clock {
  return {
    nowMs: () => 0,
    unixSeconds: () => 0,
    after: (_delayMs, run) => {
      let isOn = true;
      void pass('deadline').then(() => isOn && run());
      return () => void (isOn = false);
    },
  };
}
