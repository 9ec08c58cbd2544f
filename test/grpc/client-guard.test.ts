import { describe, expect, it } from 'vitest';
import { Allowance } from '../../src/grpc/abuse/allowance.js';
import { toClientAddress } from '../../src/grpc/abuse/client-address.js';
import { ClientGuard } from '../../src/grpc/abuse/client-guard.js';
import { RecentTable } from '../../src/grpc/abuse/recent-table.js';
import { DEFAULT_GRPC_LIMITS } from '../../src/grpc/limits.js';

describe('an allowance', () => {
  it('is so many at once, and then so many a second', () => {
    const allowance = new Allowance({ burst: 3, perSecond: 2 });
    expect([0, 0, 0, 0].map((nowMs) => allowance.take(nowMs))).toEqual([true, true, true, false]);
    expect([499, 500, 501, 1_000].map((nowMs) => allowance.take(nowMs))).toEqual([false, true, false, true]);
    // It grows no larger than its burst.
    expect(Array.from({ length: 4 }, () => allowance.take(1e9))).toEqual([true, true, true, false]);
  });
});

describe('the guard of clients', () => {
  const limits = { ...DEFAULT_GRPC_LIMITS };
  /** Resets so many of each second from `fromMs` on; when it was cut off and for how long. */
  const reset = (guard: ClientGuard, perSecond: number, seconds: number, fromMs = 0): [number, number] | undefined => {
    for (let i = 0; i < perSecond * seconds; i++) {
      const nowMs = fromMs + (i * 1_000) / perSecond;
      const backoffMs = guard.noteReset('client', nowMs);
      if (backoffMs !== undefined) return [nowMs - fromMs, backoffMs];
    }
    return undefined;
  };

  it('lets a client cancel 100 calls a second for an hour, and 200 of one instant', () => {
    expect(reset(new ClientGuard(limits), 100, 3_600)).toBeUndefined();
    const guard = new ClientGuard(limits);
    expect(Array.from({ length: 200 }, () => guard.noteReset('client', 5)).some(Boolean)).toBe(false);
    expect(guard.noteReset('client', 5)).toBe(limits.backoffMs);
  });

  it('tells of one that resets many before it is cut off, and forgets', () => {
    const guard = new ClientGuard(limits);
    for (let i = 0; i < 100; i++) guard.noteReset('client', i * 10);
    expect(guard.resetsMany('client', 1_000)).toBe(false);
    for (let i = 0; i < 100; i++) expect(guard.noteReset('client', 1_000)).toBeUndefined();
    expect([1_000, 1_200, 1_300].map((nowMs) => guard.resetsMany('client', nowMs))).toEqual([true, true, false]);
    expect(guard.resetsMany('another', 1_000)).toBe(false);
  });

  it('cuts off one that cancels 1,000 a second within half a second, and for longer each time', () => {
    const guard = new ClientGuard(limits);
    let nowMs = 0;
    const backoffs = [];
    for (let i = 0; i < 8; i++) {
      const [afterMs = Infinity, backoffMs = 0] = reset(guard, 1_000, 1, nowMs) ?? [];
      expect(afterMs).toBeLessThan(500);
      nowMs += afterMs;
      expect(guard.keptOutMs('client', nowMs + 1)).toBe(backoffMs - 1);
      expect(guard.keptOutMs('other', nowMs + 1)).toBe(0);
      nowMs += backoffMs;
      expect(guard.keptOutMs('client', nowMs)).toBe(0);
      backoffs.push(backoffMs / 1_000);
    }
    expect(backoffs).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    // What was long ago is forgiven.
    expect(reset(guard, 1_000, 1, nowMs + 2 * limits.maxBackoffMs)?.[1]).toBe(limits.backoffMs);
  });
});

describe('a client whose calls fail', () => {
  it('has as many at once and in a second as it may, and then waits; what was too much is waited for too', () => {
    const guard = new ClientGuard({ ...DEFAULT_GRPC_LIMITS, failureBurst: 10, failuresPerSecond: 5 });
    for (let i = 0; i < 9; i++) guard.noteFailure('client', 0);
    expect(guard.pausedMs('client', 0)).toBe(0);
    guard.noteFailure('client', 0);
    expect([guard.pausedMs('client', 0), guard.pausedMs('client', 150), guard.pausedMs('other', 0)]).toEqual([
      200, 50, 0,
    ]);
    for (let i = 0; i < 4; i++) guard.noteFailure('client', 200);
    expect([guard.pausedMs('client', 200), guard.pausedMs('client', 1_000)]).toEqual([800, 0]);
  });
});

describe('the address that connections are counted for', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('of %s is %s', (address, expected) => {
    expect(toClientAddress(address)).toBe(expected);
  });
});

describe('a table of what was asked for last', () => {
  it('forgets what was asked for the longest ago', () => {
    let count = 0;
    const table = new RecentTable(2, () => ++count);
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map((name) => table.of(name))).toEqual([1, 2, 1, 3, 1, 4]);
    expect(table.size).toBe(2);
  });
});
