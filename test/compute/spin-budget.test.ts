import { describe, expect, it } from 'vitest';
import { SpinBudget } from '../../src/compute/devices/cpu/threads/control.js';

describe('patience', () => {
  it('lasts 8 ms at first, is used up by spinning, and grows by a twentieth of the time that ops', () => {
    const spinBudget = new SpinBudget(1000);
    expect(spinBudget.leftAt(1000)).toBe(8);
    spinBudget.spend(1000, 1003);
    expect(spinBudget.leftAt(1003)).toBe(5);
    expect(spinBudget.leftAt(1043)).toBe(7);
    expect(spinBudget.leftAt(1e6)).toBe(8);
  });

  it('is never less than none, however late a thread came back from its spinning', () => {
    const spinBudget = new SpinBudget(0);
    spinBudget.spend(0, 50);
    expect(spinBudget.leftAt(50)).toBe(0);
    expect(spinBudget.leftAt(70)).toBe(1);
  });

  it('lets threads that always wait for one another lose no more than a twentieth of their time', () => {
    const spinBudget = new SpinBudget(0);
    let spun = 0;
    for (let now = 0; now < 10_000; now += 3) {
      const end = now + Math.min(3, spinBudget.leftAt(now));
      spinBudget.spend(now, end);
      spun += end - now;
    }
    expect(spun).toBeLessThan(0.05 * 10_000 + 8.1);
  });
});
