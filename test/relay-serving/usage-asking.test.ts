import { describe, expect, it } from 'vitest';
import { createUsageAsking } from '../../src/relay-serving/index.js';
import type { UpstreamAnswer } from '../../src/relay/index.js';
import { HandClock } from '../http/hand-clock.js';

const HOUR_MS = 3_600_000;

/** An upstream that answers with one status where usage is asked for, and with another where it is not. */
function upstreamOf(asked: number, plain: number) {
  const sent: boolean[] = [];
  const send = async (asks: boolean): Promise<UpstreamAnswer> => {
    sent.push(asks);
    const body: UpstreamAnswer['body'] = {
      next: async () => ({ done: true, value: undefined }),
      [Symbol.asyncIterator]: () => body,
    };
    return { status: asks ? asked : plain, fields: [], body, trailers: () => [] };
  };
  return { sent, send };
}

describe('the question for usage', () => {
  it('is not put again for an hour to a target that refused it, and to others it is', async () => {
    const clock = new HandClock();
    const asking = createUsageAsking(clock);
    for (const refusal of [400, 422]) {
      const { sent, send } = upstreamOf(refusal, 200);
      const target = `target ${refusal}`;
      expect(await asking.send(target, send)).toMatchObject({ answer: { status: 200 }, asksUsage: false });
      expect(await asking.send(target, send)).toMatchObject({ answer: { status: 200 }, asksUsage: false });
      expect(sent).toEqual([true, false, false]);
      clock.advance(HOUR_MS);
      await asking.send(target, send);
      expect(sent).toEqual([true, false, false, true, false]);
    }
    const other = upstreamOf(200, 200);
    expect(await asking.send('other', other.send)).toMatchObject({ asksUsage: true });
    expect(other.sent).toEqual([true]);
  });

  it('is distinguished from a request that is wrong by itself', async () => {
    const asking = createUsageAsking(new HandClock());
    const wrong = upstreamOf(400, 400);
    for (let i = 0; i < 2; i++) expect(await asking.send('a', wrong.send)).toMatchObject({ asksUsage: false });
    expect(wrong.sent).toEqual([true, false, true, false]);
    // Once it took the question, a refusal is of the request.
    await asking.send('a', upstreamOf(200, 200).send);
    const later = upstreamOf(400, 200);
    expect(await asking.send('a', later.send)).toMatchObject({ answer: { status: 400 }, asksUsage: true });
    expect(later.sent).toEqual([true]);
  });

  it.each([401, 429, 500, 503])('is no matter for a status of %d', async (status) => {
    const asking = createUsageAsking(new HandClock());
    const { sent, send } = upstreamOf(status, 200);
    for (let i = 0; i < 2; i++) expect(await asking.send('a', send)).toMatchObject({ answer: { status } });
    expect(sent).toEqual([true, true]);
  });
});
