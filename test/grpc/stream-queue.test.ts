import { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/base/index.js';
import { StreamQueue } from '../../src/grpc/serving/stream-queue.js';

/** What the queue looks at of a stream. */
function fakeStream(): ServerHttp2Stream & { closed: boolean } {
  return Object.assign(new EventEmitter(), { closed: false, destroyed: false }) as never;
}
const queueOf = (
  clock: Clock,
  limit: number,
  pausedMs: (client: string, numWaiting: number, nowMs: number) => number = () => 0,
): StreamQueue => new StreamQueue({ clock, limit, pausedMs, onCall: () => {}, onBegun: () => {} });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** A clock on which each call costs as much as a turn has. */
const slow = (): typeof systemClock => {
  let nowMs = 0;
  return { ...systemClock, nowMs: () => (nowMs += 1) };
};

describe('the queue of streams', () => {
  it('begins a call at once where no other waits', () => {
    const begun: string[] = [];
    const queue = queueOf(systemClock, 10);
    expect(queue.push('one', { stream: fakeStream(), begin: () => begun.push('a') })).toBe(true);
    expect(begun).toEqual(['a']);
  });

  it('gives each client its turn, whatever another has opened', async () => {
    const begun: string[] = [];
    const queue = queueOf(slow(), 100);
    const push = (client: string, name: string): boolean =>
      queue.push(client, { stream: fakeStream(), begin: () => begun.push(name) });
    for (let i = 0; i < 20; i++) push('many', `many ${i}`);
    push('few', 'few');
    for (let i = 0; i < 3; i++) await turn();
    expect(begun.indexOf('few')).toBeLessThanOrEqual(2);
    for (let i = 0; i < 30; i++) await turn();
    expect(begun).toHaveLength(21);
  });

  it('makes no call of a stream that was reset before its turn', async () => {
    const queue = queueOf(slow(), 100);
    const begun: number[] = [];
    const streams = Array.from({ length: 5 }, fakeStream);
    streams.forEach((stream, i) => queue.push('one', { stream, begin: () => begun.push(i) }));
    for (const stream of streams.slice(2)) stream.closed = true;
    for (let i = 0; i < 5; i++) await turn();
    expect(begun).toEqual([0, 1]);
  });

  it('takes no more than its limit, and of a client that has less than its share of it', async () => {
    const queue = queueOf(slow(), 3);
    const push = (client: string): boolean => queue.push(client, { stream: fakeStream(), begin: () => {} });
    // The first begins at once.
    expect(Array.from({ length: 5 }, () => push('many'))).toEqual([true, true, true, true, false]);
    expect([push('few'), push('few'), push('few'), push('many')]).toEqual([true, true, false, false]);
    for (let i = 0; i < 6; i++) await turn();
    expect(push('many')).toBe(true);
  });

  it('lets streams of a paused client wait until it may go on, and no others', async () => {
    let nowMs = 0;
    const timers: { readonly atMs: number; readonly work: () => void }[] = [];
    const clock: Clock = {
      ...systemClock,
      nowMs: () => nowMs,
      after(delayMs, work) {
        const timer = { atMs: nowMs + delayMs, work };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    };
    const untilMs = new Map([['failing', 40]]);
    const queue = queueOf(clock, 100, (client, _, now) => Math.max(0, (untilMs.get(client) ?? 0) - now));
    const begun: string[] = [];
    const push = (client: string): boolean =>
      queue.push(client, { stream: fakeStream(), begin: () => begun.push(`${client} ${nowMs}`) });
    for (const client of ['failing', 'good', 'failing', 'good']) push(client);
    await turn();
    await turn();
    expect(begun).toEqual(['good 0', 'good 0']);
    expect([queue.size, timers.map(({ atMs }) => atMs)]).toEqual([2, [40]]);
    nowMs = 40;
    for (const { work } of timers.splice(0)) work();
    await turn();
    expect(begun.slice(2)).toEqual(['failing 40', 'failing 40']);
    expect([queue.size, timers.length]).toEqual([0, 0]);
  });
});
