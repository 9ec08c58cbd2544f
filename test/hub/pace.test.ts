import { describe, expect, it } from 'vitest';
import { Pace, type PacedConnection } from '../../src/hub/download/pace.js';

/** A pace whose connections have these speeds in bytes a tick. */
function running(speeds: readonly number[]): { pace: Pace; dropped: number[]; tick: () => void } {
  const pace = new Pace();
  const dropped: number[] = [];
  const connections = speeds.map((speed, index): [PacedConnection, number] => [
    { receivedBytes: 0, ticks: 0, drop: () => dropped.push(index) },
    speed,
  ]);
  for (const [connection] of connections) pace.begin(connection);
  const tick = (): void => {
    for (const [connection, speed] of connections) pace.count(connection, speed);
    pace.tick();
  };
  return { pace, dropped, tick };
}

const ticks = (count: number, tick: () => void): void => {
  for (let i = 0; i < count; i++) tick();
};

describe('the pace of a download', () => {
  it('begins with four connections and tries more while throughput grows with them', () => {
    const pace = new Pace();
    const connection: PacedConnection = { receivedBytes: 0, ticks: 0, drop: () => {} };
    pace.begin(connection);
    const seen = [pace.connections];
    for (let window = 0; window < 12; window++) {
      ticks(3, () => {
        // As much as there are connections, up to eight.
        pace.count(connection, 1_000_000 * Math.min(8, pace.connections));
        pace.tick();
      });
      seen.push(pace.connections);
    }
    expect(seen.slice(0, 5)).toEqual([4, 6, 8, 10, 8]);
    expect(seen.at(-1)).toBe(8);
  });

  it('has never more than sixteen', () => {
    const pace = new Pace();
    const connection: PacedConnection = { receivedBytes: 0, ticks: 0, drop: () => {} };
    pace.begin(connection);
    ticks(60, () => {
      pace.count(connection, 1_000_000 * pace.connections);
      pace.tick();
    });
    expect(pace.connections).toBe(16);
  });

  it('has one after a refusal, and grows back by one for each part that is done', () => {
    const pace = new Pace();
    pace.refused();
    const seen = [pace.connections];
    for (let part = 0; part < 5; part++) {
      pace.partDone();
      seen.push(pace.connections);
    }
    expect(seen).toEqual([1, 2, 3, 4, 4, 4]);
  });

  it('drops a connection below a tenth of the median speed, once there was time to see it', () => {
    const { dropped, tick } = running([1000, 900, 1100, 95]);
    ticks(4, tick);
    expect(dropped).toEqual([]);
    tick();
    expect(dropped).toEqual([3]);
  });

  it('drops none that is slow like the others, or alone', () => {
    for (const speeds of [[100, 90, 110, 20], [1], [1000, 1], []]) {
      const { dropped, tick } = running(speeds);
      ticks(20, tick);
      expect(dropped).toEqual([]);
    }
  });

  it('compares with connections that have ended, so that the last part is not the slowest', () => {
    const { pace, dropped, tick } = running([10]);
    for (let part = 0; part < 4; part++) {
      const ended: PacedConnection = { receivedBytes: 0, ticks: 0, drop: () => {} };
      pace.begin(ended);
      ticks(2, () => {
        pace.count(ended, 1000);
        pace.tick();
      });
      pace.end(ended);
    }
    ticks(5, tick);
    expect(dropped.length).toBeGreaterThan(0);
  });
});
