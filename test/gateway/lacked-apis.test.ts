import { expect, it } from 'vitest';
import { createLackedApis } from '../../src/gateway/routing/lacked-apis.js';
import type { ModelTarget } from '../../src/gateway/routing/model-target.js';
import { HandClock } from '../http/hand-clock.js';

const targetOf = (model: string, runtime = {}): ModelTarget =>
  ({ id: `r/${model}`, order: 0, weight: 1, runtime, model }) as unknown as ModelTarget;

it('what a target lacks is remembered by its model and the path, for ten minutes', () => {
  const clock = new HandClock();
  const lacked = createLackedApis(clock);
  const runtime = {};
  lacked.remember(targetOf('a', runtime), '/v1/messages', 404);
  expect(lacked.statusOf(targetOf('a', runtime), '/v1/messages')).toBe(404);
  expect(lacked.statusOf(targetOf('b', runtime), '/v1/messages')).toBeUndefined();
  expect(lacked.statusOf(targetOf('a', runtime), '/v1/responses')).toBeUndefined();
  expect(lacked.statusOf(targetOf('a'), '/v1/messages')).toBeUndefined();
  clock.advance(600_001);
  expect(lacked.statusOf(targetOf('a', runtime), '/v1/messages')).toBeUndefined();
});

it('a runtime is forgotten as a whole, and of one that has very many models the oldest are', () => {
  const lacked = createLackedApis(new HandClock());
  const [one, other] = [{}, {}];
  for (let i = 0; i < 5_000; i++) lacked.remember(targetOf(`m${i}`, one), '/v1/messages', 405);
  lacked.remember(targetOf('a', other), '/v1/messages', 501);
  expect(lacked.statusOf(targetOf('m0', one), '/v1/messages')).toBeUndefined();
  expect(lacked.statusOf(targetOf('m4999', one), '/v1/messages')).toBe(405);
  lacked.forget(one as ModelTarget['runtime']);
  expect(lacked.statusOf(targetOf('m4999', one), '/v1/messages')).toBeUndefined();
  expect(lacked.statusOf(targetOf('a', other), '/v1/messages')).toBe(501);
});
