import { describe, expect, it } from 'vitest';
import { ClientPacer } from '../../src/grpc/abuse/client-pacer.js';
import { DEFAULT_GRPC_LIMITS } from '../../src/grpc/limits.js';

const LIMITS = { ...DEFAULT_GRPC_LIMITS, pacedStreams: 10 };
/** Many more waiting calls than may be. */
const MANY = 1_000;
/** What a call takes to begin, and what it takes in all. */
const BEGIN_MS = 0.1;
const CALL_MS = 0.5;

/**
 * A thread that does nothing but begin calls of one client and what follows them, for so long. `otherEveryMs`: how often another
 * calls, which costs nothing here. How many calls began in each of ten parts of the time, and how busy the thread was at last.
 */
function serve({ ms = 4_000, otherEveryMs = 50, waiting = MANY, limits = LIMITS }): {
  begun: number[];
  utilization: number;
} {
  let [nowMs, busyMs, lookedMs, otherMs] = [0, 0, 0, -Infinity];
  const pacer = new ClientPacer(limits, () => {
    const utilization = busyMs / Math.max(1e-6, nowMs - lookedMs);
    [busyMs, lookedMs] = [0, nowMs];
    return utilization;
  });
  const begunMs: number[] = [];
  let lastBusyMs = 0;
  while (nowMs < ms) {
    if (nowMs - otherMs >= otherEveryMs) {
      pacer.noteCall('other', nowMs);
      otherMs = nowMs;
    }
    pacer.noteCall('many', nowMs);
    if (pacer.waitMs('many', waiting, nowMs) > 0) {
      nowMs += 0.5;
      continue;
    }
    pacer.noteBegun('many', BEGIN_MS, nowMs);
    begunMs.push(nowMs);
    if (nowMs > (ms * 9) / 10) lastBusyMs += CALL_MS;
    busyMs += CALL_MS;
    nowMs += CALL_MS;
  }
  const begun = Array.from({ length: 10 }, (_, i) => begunMs.filter((at) => Math.floor((10 * at) / ms) === i).length);
  return { begun, utilization: lastBusyMs / (ms / 10) };
}

describe('the pacer of clients', () => {
  it('leaves a client alone that is alone, or that has few calls waiting', () => {
    expect(serve({ otherEveryMs: Infinity, ms: 2_000 }).utilization).toBeGreaterThan(0.99);
    expect(serve({ waiting: LIMITS.pacedStreams }).utilization).toBeGreaterThan(0.99);
    // One that asks for health every second is not there the rest of the time.
    expect(serve({ otherEveryMs: 1_000 }).utilization).toBeGreaterThan(0.5);
  });

  it('lets the thread rest as long as it should while others call', () => {
    for (const sharedUtilization of [0.4, 0.6, 0.8]) {
      const { utilization } = serve({ limits: { ...LIMITS, sharedUtilization } });
      expect([sharedUtilization, utilization]).toEqual([sharedUtilization, near(sharedUtilization, 0.12)]);
    }
  });

  it('gives a client its least share of a thread that others fill', () => {
    const { begun } = serve({ limits: { ...LIMITS, sharedUtilization: 0, leastBeginShare: 0.05 } });
    // 400 ms a part, of which a twentieth are for calls that take 0.1 ms to begin.
    for (const count of begun.slice(1)) expect(count).toEqual(near(200, 10));
  });

  it('lets no client wait longer for one long call than for its short ones', () => {
    const pacer = new ClientPacer(LIMITS, () => 1);
    for (const client of ['other', 'many']) pacer.noteCall(client, 0);
    pacer.noteBegun('many', 5_000, 0);
    expect(pacer.waitMs('many', MANY, 0)).toBeLessThan(20);
    expect(pacer.waitMs('other', MANY, 0)).toBe(0);
  });
});

function near(value: number, tolerance: number): unknown {
  return expect.toSatisfy((got: number) => Math.abs(got - value) <= tolerance, `${value} ± ${tolerance}`);
}
