import { describe, expect, it } from 'vitest';
import { Patience } from '../../src/compute/patience.js';

describe('patience', () => {
  it('lasts 8 ms at first, is used up by spinning, and grows by a twentieth of the time that passes', () => {
    const patience = new Patience(1000);
    expect(patience.leftAt(1000)).toBe(8);
    patience.spend(1000, 1003);
    expect(patience.leftAt(1003)).toBe(5);
    expect(patience.leftAt(1043)).toBe(7);
    expect(patience.leftAt(1e6)).toBe(8);
  });

  it('is never less than none, however late a thread came back from its spinning', () => {
    const patience = new Patience(0);
    patience.spend(0, 50);
    expect(patience.leftAt(50)).toBe(0);
    expect(patience.leftAt(70)).toBe(1);
  });

  it('lets threads that always wait for one another lose no more than a twentieth of their time', () => {
    const patience = new Patience(0);
    let spun = 0;
    for (let now = 0; now < 10_000; now += 3) {
      const end = now + Math.min(3, patience.leftAt(now));
      patience.spend(now, end);
      spun += end - now;
    }
    expect(spun).toBeLessThan(0.05 * 10_000 + 8.1);
  });
});
