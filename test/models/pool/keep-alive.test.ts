import { describe, expect, it } from 'vitest';
import { HandClock } from '../../http/hand-clock.js';
import { FakeModels, settled } from './fake-models.js';

const MINUTE = 60_000;

function openPool() {
  const clock = new HandClock();
  const fakes = new FakeModels({ a: 1, b: 1 });
  const pool = fakes.pool(10, 50, clock);
  /** Uses a model for a moment. */
  const use = async (name: string, keepAliveMs?: number): Promise<void> => {
    using lease = await pool.acquire(name);
    if (keepAliveMs !== undefined) lease.keepFor(keepAliveMs);
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settled();
  };
  const names = (): string[] => pool.list().map(({ directory }) => directory);
  return { pool, fakes, use, pass, names };
}

describe('a model in the pool', () => {
  it('stays by default for as long as there is room', async () => {
    const { pool, use, pass, names } = openPool();
    await use('a');
    expect(pool.list()).toMatchObject([{ keepAliveMs: Infinity }]);
    await pass(1_000_000 * MINUTE);
    expect(names()).toEqual(['a']);
  });

  it('goes when its time is over, counted from the end of its last call', async () => {
    const { pool, fakes, use, pass, names } = openPool();
    await use('a', 5 * MINUTE);
    await use('b');
    await pass(4 * MINUTE);
    await use('a');
    expect(pool.list().map(({ keepAliveMs }) => keepAliveMs)).toEqual([5 * MINUTE, Infinity]);
    await pass(5 * MINUTE - 1);
    expect(names()).toEqual(['a', 'b']);
    await pass(1);
    expect(names()).toEqual(['b']);
    expect(fakes.bytes).toBe(1);
  });

  it('does not go under a call, however long that takes, and goes at once behind it where it may not stay', async () => {
    const { pool, pass, names } = openPool();
    const lease = await pool.acquire('a');
    lease.keepFor(0);
    await pass(MINUTE);
    expect(names()).toEqual(['a']);
    lease[Symbol.dispose]();
    await settled();
    expect(names()).toEqual([]);
  });

  it('stays for weeks where it is asked to, which is longer than a timer takes', async () => {
    const { use, pass, names } = openPool();
    const weeks = 6 * 7 * 24 * 60 * MINUTE;
    await use('a', weeks);
    for (let i = 1; i < 6; i++) await pass(weeks / 6);
    expect(names()).toEqual(['a']);
    await pass(weeks / 6);
    expect(names()).toEqual([]);
  });

  it('has the time that the last call set', async () => {
    const { use, pass, names } = openPool();
    await use('a', MINUTE);
    await use('a', Infinity);
    await pass(100 * MINUTE);
    expect(names()).toEqual(['a']);
  });

  it('is let go when its last call ends, at once where there is none, and loaded anew as any other', async () => {
    const { pool, use, names } = openPool();
    pool.letGo('a');
    const lease = await pool.acquire('a');
    await use('b');
    pool.letGo('a');
    pool.letGo('b');
    await settled();
    expect(names()).toEqual(['a']);
    expect(lease.model.isOpen).toBe(true);
    lease[Symbol.dispose]();
    await settled();
    expect(names()).toEqual([]);
    await use('a');
    expect(pool.list()).toMatchObject([{ directory: 'a', keepAliveMs: Infinity }]);
  });
});
