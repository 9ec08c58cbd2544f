import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindow } from '../../src/metering/ledger/sliding-window.js';

const MINUTE_MS = 60_000;

describe('a minute', () => {
  it('never lets more than the limit into any 60 s, and holds nothing back for 1 % longer than an exact one', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 50, maxLength: 400 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 40 }), (waits, limit) => {
        const window = new SlidingWindow();
        const admitted: number[] = [];
        let now = 0;
        for (const wait of waits) {
          now += wait;
          const inMinute = admitted.filter((time) => time > now - MINUTE_MS).length;
          const inLongerMinute = admitted.filter((time) => time > now - MINUTE_MS * 1.01).length;
          if (window.sum(now) + 1 <= limit) {
            expect(inMinute).toBeLessThan(limit);
            window.add(1, now);
            admitted.push(now);
          } else {
            expect(inLongerMinute).toBeGreaterThanOrEqual(limit);
          }
        }
      }),
    );
  });

  it('lets through within 1 % of what an exact sliding minute does, under a load of twice the limit', () => {
    const [limit, total] = [600, 36_000];
    const window = new SlidingWindow();
    const exact: number[] = [];
    let [ours, theirs] = [0, 0];
    for (let i = 0; i < total; i++) {
      const now = i * 50;
      if (window.sum(now) < limit) {
        window.add(1, now);
        ours++;
      }
      while ((exact[0] ?? now) <= now - MINUTE_MS) exact.shift();
      if (exact.length < limit) {
        exact.push(now);
        theirs++;
      }
    }
    expect(Math.abs(ours - theirs) / theirs).toBeLessThanOrEqual(0.01);
  });

  it('says how long to wait, and not a millisecond too short', () => {
    const window = new SlidingWindow();
    window.add(3, 100);
    window.add(4, 20_000);
    expect(window.sum(30_000)).toBe(7);
    const wait = window.waitMs(4, 30_000);
    expect([window.sum(30_000 + wait - 1), window.sum(30_000 + wait)]).toEqual([7, 4]);
    expect(window.waitMs(4, 30_000 + wait)).toBe(0);
  });

  it('takes back what was reserved and not used, and nothing of what has left it', () => {
    const window = new SlidingWindow();
    const first = window.add(100, 0);
    const second = window.add(50, 1000);
    window.takeBack(90, first);
    expect(window.sum(1000)).toBe(60);
    expect(window.sum(60_500)).toBe(50);
    window.takeBack(10, first);
    expect(window.sum(60_500)).toBe(50);
    window.takeBack(50, second);
    expect([window.sum(60_500), window.sum(70_000)]).toEqual([0, 0]);
  });
});
