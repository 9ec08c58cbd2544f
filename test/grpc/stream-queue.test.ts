import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.js';
import { StreamQueue } from '../../src/grpc/serving/stream-queue.js';

/** What the queue looks at of a stream. */
function fakeStream(): ServerHttp2Stream & { closed: boolean } {
  return Object.assign(new EventEmitter(), { closed: false, destroyed: false }) as never;
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** A clock on which each call costs as much as a turn has. */
const slow = (): typeof systemClock => {
  let nowMs = 0;
  return { ...systemClock, nowMs: () => (nowMs += 1) };
};

describe('the queue of streams', () => {
  it('begins a call at once where nobody waits', () => {
    const begun: string[] = [];
    const queue = new StreamQueue(systemClock, 10);
    expect(queue.push({}, { stream: fakeStream(), begin: () => begun.push('a') })).toBe(true);
    expect(begun).toEqual(['a']);
  });

  it('gives each connection its turn, whatever another has opened', async () => {
    const begun: string[] = [];
    const queue = new StreamQueue(slow(), 100);
    const [many, few] = [{}, {}];
    const push = (connection: object, name: string): boolean =>
      queue.push(connection, { stream: fakeStream(), begin: () => begun.push(name) });
    for (let i = 0; i < 20; i++) push(many, `many ${i}`);
    push(few, 'few');
    for (let i = 0; i < 3; i++) await turn();
    expect(begun.indexOf('few')).toBeLessThanOrEqual(2);
    for (let i = 0; i < 30; i++) await turn();
    expect(begun).toHaveLength(21);
  });

  it('makes no call of a stream that was reset before its turn', async () => {
    const queue = new StreamQueue(slow(), 100);
    const begun: number[] = [];
    const streams = Array.from({ length: 5 }, fakeStream);
    streams.forEach((stream, i) => queue.push({}, { stream, begin: () => begun.push(i) }));
    for (const stream of streams.slice(2)) stream.closed = true;
    for (let i = 0; i < 5; i++) await turn();
    expect(begun).toEqual([0, 1]);
  });

  it('takes no more than its limit, and one of a connection that has none', async () => {
    const queue = new StreamQueue(slow(), 3);
    const [many, few] = [{}, {}];
    const push = (connection: object): boolean => queue.push(connection, { stream: fakeStream(), begin: () => {} });
    // The first begins at once.
    expect(Array.from({ length: 5 }, () => push(many))).toEqual([true, true, true, true, false]);
    expect([push(few), push(few), push(many)]).toEqual([true, false, false]);
    for (let i = 0; i < 6; i++) await turn();
    expect(push(many)).toBe(true);
  });
});
