import { describe, expect, it } from 'vitest';
import { FakeModels, settled } from './fake-models.js';

/** Gates that stay shut until a test opens them. */
class Gates {
  readonly #shut: { readonly what: string; readonly open: () => void }[] = [];

  readonly wait = (what: string): Promise<void> => new Promise((open) => this.#shut.push({ what, open }));

  /** Waits until a load or an end has reached each of these gates, one after the other, and lets it pass. */
  async pass(...names: string[]): Promise<void> {
    for (const what of names) await this.#passOne(what);
  }

  async #passOne(what: string): Promise<void> {
    for (let turn = 0; turn < 100; turn++) {
      const index = this.#shut.findIndex((gate) => gate.what === what);
      if (index !== -1) {
        this.#shut.splice(index, 1)[0]?.open();
        return settled();
      }
      await settled();
    }
    throw new Error(`nothing came to ${what}; shut are ${this.#shut.map((gate) => gate.what).join(', ')}`);
  }
}

const SIZES = { a: 4, b: 4, c: 4, small: 1, large: 8, huge: 11 };

function directories(list: readonly { readonly directory: string }[]): string[] {
  return list.map(({ directory }) => directory);
}

describe('the pool of models', () => {
  it('loads a model once for all who ask, and keeps it when they have gone', async () => {
    const fakes = new FakeModels(SIZES);
    const pool = fakes.pool(10);
    const leases = await Promise.all([1, 2, 3].map(() => pool.acquire('a')));
    expect(new Set(leases.map(({ model }) => model)).size).toBe(1);
    expect(pool.list()).toMatchObject([{ directory: 'a', id: 'a', state: 'ready', bytes: 4, runningCalls: 3 }]);
    for (const lease of leases) lease[Symbol.dispose]();
    expect(pool.list()).toMatchObject([{ runningCalls: 0 }]);
    using again = await pool.acquire('a');
    expect(again.model).toBe(leases[0]?.model);
    expect(fakes.made).toHaveLength(1);
  });

  it('reports progress to all callers that wait for a load, and to none that left', async () => {
    const gates = new Gates();
    const pool = new FakeModels(SIZES, gates.wait).pool(10);
    const seen: string[] = [];
    const abort = new AbortController();
    const watch = (who: string, signal?: AbortSignal) =>
      pool.acquire('a', signal, ({ doneBytes, totalBytes }) => seen.push(`${who} ${doneBytes}/${totalBytes}`));
    const waiting = [watch('first'), watch('second')];
    const leaving = watch('leaver', abort.signal);
    await gates.pass('prepare a');
    abort.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    await gates.pass('open a');
    await Promise.all(waiting);
    expect(seen).toEqual(['first 0/4', 'second 0/4', 'leaver 0/4', 'first 4/4', 'second 4/4']);
    await watch('later');
    expect(seen).toHaveLength(5);
  });

  it('evicts the least recently used of the idle, and no more than it must', async () => {
    const fakes = new FakeModels(SIZES);
    const pool = fakes.pool(13);
    for (const name of ['small', 'a', 'b', 'c', 'a']) (await pool.acquire(name))[Symbol.dispose]();
    (await pool.acquire('large'))[Symbol.dispose]();
    // b and c make the room; small was used before them, and is too small to help; a was used after.
    expect(directories(pool.list())).toEqual(['small', 'a', 'large']);
    expect(fakes.maxBytes).toBe(13);
  });

  it('never evicts a model that a call holds: it waits for the lease', async () => {
    const fakes = new FakeModels(SIZES);
    const pool = fakes.pool(10, 5_000);
    const held = await Promise.all([pool.acquire('a'), pool.acquire('b')]);
    const waiting = pool.acquire('c');
    await settled();
    expect(pool.models().map(({ id }) => id)).toEqual(['a', 'b']);
    held[1]?.[Symbol.dispose]();
    using lease = await waiting;
    expect(lease.model.id).toBe('c');
    expect(held[0]?.model.isOpen).toBe(true);
    expect(fakes.open('b')).toBeUndefined();
  });

  it('says models_busy when nothing is given back, and lets one that fits go first', async () => {
    const fakes = new FakeModels(SIZES);
    const pool = fakes.pool(10);
    using a = await pool.acquire('a');
    const refused = expect(pool.acquire('large')).rejects.toMatchObject({
      code: 'models_busy',
      details: { neededBytes: 8, budgetBytes: 10 },
    });
    using small = await pool.acquire('small');
    expect([a.model.isOpen, small.model.isOpen]).toEqual([true, true]);
    await refused;
    expect(directories(pool.list())).toEqual(['a', 'small']);
  });

  it('refuses a model that the budget cannot hold alone, and evicts nothing for it', async () => {
    const pool = new FakeModels(SIZES).pool(10);
    (await pool.acquire('a'))[Symbol.dispose]();
    const error = { code: 'out_of_memory', details: { neededBytes: 11, budgetBytes: 10 } };
    await expect(pool.acquire('huge')).rejects.toMatchObject(error);
    expect(directories(pool.list())).toEqual(['a']);
  });

  it('fails all who wait for a load that fails, and leaves nothing behind', async () => {
    const fakes = new FakeModels(SIZES);
    const pool = fakes.pool(10);
    fakes.broken.add('a');
    const results = await Promise.allSettled([pool.acquire('a'), pool.acquire('a')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([pool.list(), fakes.bytes]).toEqual([[], 0]);
    fakes.broken.clear();
    using lease = await pool.acquire('a');
    expect(lease.model.isOpen).toBe(true);
  });

  it('goes on loading when one of two leaves, and ends the load when the last does', async () => {
    const gates = new Gates();
    const fakes = new FakeModels(SIZES, gates.wait);
    const pool = fakes.pool(10);
    const [first, last] = [new AbortController(), new AbortController()];
    const reasons = [first, last].map(async ({ signal }) => pool.acquire('a', signal).catch((error: unknown) => error));
    await gates.pass('prepare a');
    first.abort('first');
    expect(await reasons[0]).toBe('first');
    expect(pool.list()).toMatchObject([{ state: 'loading', runningCalls: 1 }]);
    last.abort('last');
    expect(await reasons[1]).toBe('last');
    expect(pool.list()).toMatchObject([{ state: 'unloading' }]);
    const next = pool.acquire('a');
    await gates.pass('open a');
    expect(fakes.made).toHaveLength(0);
    await gates.pass('prepare a');
    await gates.pass('open a');
    expect((await next).model.isOpen).toBe(true);
    expect(fakes.bytes).toBe(4);
  });

  it('gives those who wait engine_closed when the model is unloaded while it loads', async () => {
    const gates = new Gates();
    const fakes = new FakeModels(SIZES, gates.wait);
    const pool = fakes.pool(10);
    const refused = expect(pool.acquire('a')).rejects.toMatchObject({ code: 'engine_closed' });
    await gates.pass('prepare a');
    const unloading = pool.unload('a');
    await gates.pass('open a');
    expect(await unloading).toBe(true);
    await refused;
    expect([pool.list(), fakes.bytes, await pool.unload('a')]).toEqual([[], 0, false]);
  });

  it('counts bytes until they are back: two that compete do not pass the same ones', async () => {
    const gates = new Gates();
    const fakes = new FakeModels(SIZES, gates.wait);
    const pool = fakes.pool(8, 5_000);
    const a = pool.acquire('a');
    await gates.pass('prepare a', 'open a');
    (await a)[Symbol.dispose]();
    const both = ['b', 'c'].map((name) => pool.acquire(name));
    await gates.pass('prepare b', 'prepare c', 'open b');
    expect(pool.list()).toMatchObject([{ state: 'unloading' }, { state: 'ready' }, { state: 'loading', bytes: 0 }]);
    await gates.pass('close a', 'open c');
    await Promise.all(both);
    expect(fakes.maxBytes).toBe(8);
  });

  it('loads a model anew that has given up, when the dead one is gone', async () => {
    const fakes = new FakeModels(SIZES);
    const pool = fakes.pool(4);
    const dead = await pool.acquire('a');
    dead.model.ready = false;
    using lease = await pool.acquire('a');
    expect([dead.model.isOpen, lease.model.isOpen]).toEqual([false, true]);
    dead[Symbol.dispose]();
    expect(pool.list()).toMatchObject([{ runningCalls: 1 }]);
    expect(fakes.maxBytes).toBe(4);
  });

  it('ends everything when it is disposed of, and refuses what comes after', async () => {
    const gates = new Gates();
    const fakes = new FakeModels(SIZES, gates.wait);
    const pool = fakes.pool(10, 5_000);
    const a = pool.acquire('a');
    await gates.pass('prepare a', 'open a');
    const lease = await a;
    const rest = [pool.acquire('b'), pool.acquire('large')].map((waiting) =>
      expect(waiting).rejects.toMatchObject({ code: 'engine_closed' }),
    );
    await gates.pass('prepare b', 'prepare large');
    const disposing = pool[Symbol.asyncDispose]();
    await gates.pass('open b', 'close a');
    await disposing;
    await Promise.all(rest);
    lease[Symbol.dispose]();
    expect([pool.list(), fakes.bytes]).toEqual([[], 0]);
    await expect(pool.acquire('a')).rejects.toMatchObject({ code: 'engine_closed' });
  });

  it('has a bound for models that load and for calls that wait', async () => {
    const pool = new FakeModels({}, () => new Promise(() => {})).pool(10);
    const ask = (name: string): Promise<unknown> => pool.acquire(name).catch((error: unknown) => error);
    const loading = Array.from({ length: 16 }, (_, i) => ask(String(i)));
    await expect(pool.acquire('one more')).rejects.toMatchObject({ code: 'models_busy', details: { limit: 16 } });
    const calls = Array.from({ length: 1_151 }, () => ask('0'));
    await expect(pool.acquire('0')).rejects.toMatchObject({ code: 'models_busy', details: { limit: 1_152 } });
    expect([loading.length, calls.length, pool.list().length]).toEqual([16, 1_151, 16]);
  });
});
