import { expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { RetryBudget, sendToGroup, TargetGroup, type Target, type UpstreamAnswer } from '../../src/relay/index.js';
import { apiMissing, upstreamError } from '../../src/relay/upstream/failure.js';
import { HandClock } from '../http/hand-clock.js';

const answer = (status: number): UpstreamAnswer => {
  const body = (async function* (): AsyncGenerator<Uint8Array, undefined> {})();
  return { status, fields: [], body, trailers: () => [] };
};

/** Sends to targets of orders 0, 1, 2 what `says` answers for; the ids asked, and what came of it. */
async function send(
  says: Readonly<Record<string, number | AppError>>,
  options: { readonly canRepeat?: boolean; readonly budget?: RetryBudget; readonly signal?: AbortSignal } = {},
): Promise<{ readonly asked: string[]; readonly got: number | string; readonly states: string }> {
  const clock = new HandClock();
  const group = new TargetGroup<Target>(
    Object.keys(says).map((id, order) => ({ id, order, weight: 1 })),
    { clock, breaker: { failures: 1, openMs: 1_000 } },
  );
  const asked: string[] = [];
  const got = await sendToGroup({
    group,
    id: 'm',
    budget: new RetryBudget(clock),
    canRepeat: true,
    ...options,
    send: async ({ id }) => {
      asked.push(id);
      const said = says[id] ?? 200;
      if (typeof said !== 'number') throw said;
      return answer(said);
    },
  }).then(
    ({ answer: { status }, chosen }) => {
      chosen.end('unknown');
      return status;
    },
    (error: unknown) => (error as AppError).code,
  );
  return {
    asked,
    got,
    states: group
      .states()
      .map(({ breaker, running }) => `${breaker} ${running}`)
      .join(', '),
  };
}

it('a request goes to the next target while one fails before its first byte', async () => {
  const refused = upstreamError('a', 'connect_failed');
  const closed = upstreamError('b', 'closed_early');
  expect(await send({ a: refused, b: closed, c: 200 })).toEqual({
    asked: ['a', 'b', 'c'],
    got: 200,
    states: 'open 0, open 0, closed 0',
  });
  expect(await send({ a: 503, b: 200 })).toMatchObject({ asked: ['a', 'b'], got: 200, states: 'open 0, closed 0' });
});

it('the last status or the last error passes when no other target can answer', async () => {
  expect(await send({ a: 503 })).toMatchObject({ asked: ['a'], got: 503 });
  expect(await send({ a: 503, b: 502, c: 504, d: 200 })).toMatchObject({ asked: ['a', 'b', 'c'], got: 504 });
  expect(await send({ a: upstreamError('a', 'connect_failed') })).toMatchObject({
    asked: ['a'],
    got: 'upstream_error',
  });
});

it('an answer of the request is not tried again: 429, 400, 500; nor is one that let us wait', async () => {
  for (const status of [200, 400, 429, 500])
    expect(await send({ a: status, b: 200 })).toMatchObject({ asked: ['a'], got: status });
  const late = upstreamError('a', 'first_byte_timeout');
  expect(await send({ a: late, b: 200 })).toMatchObject({
    asked: ['a'],
    got: 'upstream_timeout',
    states: 'open 0, closed 0',
  });
});

it('nothing is sent twice whose body is gone, whose client is, or when the budget is spent', async () => {
  const failed = upstreamError('a', 'connect_failed');
  expect((await send({ a: failed, b: 200 }, { canRepeat: false })).asked).toEqual(['a']);
  expect((await send({ a: failed, b: 200 }, { signal: AbortSignal.abort() })).states).toBe('closed 0, closed 0');
  const budget = new RetryBudget(new HandClock(), { share: 0.2, min: 1, windowMs: 1_000 });
  expect(await send({ a: failed, b: 503, c: 200 }, { budget })).toMatchObject({
    asked: ['a', 'b'],
    got: 503,
    states: 'open 0, closed 0, closed 0',
  });
});

it('a target that closed its connection may be asked again where it is alone', async () => {
  const group = new TargetGroup<Target>([{ id: 'a', order: 0, weight: 1 }]);
  let times = 0;
  const { attempts, chosen } = await sendToGroup({
    group,
    id: 'm',
    budget: new RetryBudget(new HandClock()),
    canRepeat: true,
    send: async () => {
      if (++times === 1) throw upstreamError('a', 'closed_early');
      return answer(200);
    },
  });
  chosen.end('succeeded');
  expect([times, attempts, group.states()[0]?.running]).toEqual([2, 2, 0]);
});

it('a group without a target in service says so', async () => {
  const group = new TargetGroup<Target>([]);
  const request = {
    group,
    id: 'm',
    budget: new RetryBudget(new HandClock()),
    canRepeat: true,
    send: async () => answer(200),
  };
  await expect(sendToGroup(request)).rejects.toMatchObject({ code: 'upstream_busy' });
});

it('a breaker closes with the head of an answer, and does not wait for the end of a stream', async () => {
  const clock = new HandClock();
  const group = new TargetGroup<Target>([{ id: 'a', order: 0, weight: 1 }], {
    clock,
    breaker: { failures: 1, openMs: 10 },
  });
  group.choose()?.end('failed');
  clock.advance(10);
  const budget = new RetryBudget(clock);
  const { chosen } = await sendToGroup({ group, id: 'm', budget, canRepeat: true, send: async () => answer(200) });
  expect(group.states()).toMatchObject([{ breaker: 'closed', running: 1 }]);
  chosen.end('failed');
  expect(group.states()).toMatchObject([{ breaker: 'open', running: 0 }]);
});

it('an API that targets lack is looked for at all of them, which is no retry and no failure', async () => {
  const lacks = (id: string): AppError => apiMissing(id, '/v1/messages', 404, 'ask for another model');
  const budget = new RetryBudget(new HandClock(), { share: 0, min: 0, windowMs: 1_000 });
  const says = { a: lacks('a'), b: lacks('b'), c: lacks('c'), d: lacks('d'), e: 200 };
  expect(await send(says, { budget })).toEqual({
    asked: ['a', 'b', 'c', 'd', 'e'],
    got: 200,
    states: 'closed 0, closed 0, closed 0, closed 0, closed 0',
  });
  expect(await send({ a: lacks('a'), b: lacks('b') }, { budget })).toMatchObject({ got: 'upstream_api_missing' });
  expect(await send({ a: lacks('a'), b: 200 }, { canRepeat: false })).toMatchObject({ asked: ['a'] });
});
