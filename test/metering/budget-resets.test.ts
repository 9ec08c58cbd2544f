// A budget that an operator refills: its usage stays in the sums, and a new window counts from nothing.
import { expect, it } from 'vitest';
import { codeOfFailure, newKey, newRequest, openTestMeter, used } from './open-test-meter.js';

const BY = { kind: 'cli' };
const LIMITS = {
  budgets: [
    { tokens: 1_000, window: 'day' as const },
    { tokens: 5_000, window: 'total' as const },
  ],
};
const DAY_MS = 86_400_000;

it('has room again, over a restart too, until its window ends', async () => {
  await using test = await openTestMeter();
  test.meter.setFileKeys([newKey(LIMITS)]);
  const spend = async (tokens: number): Promise<void> => {
    const hold = await test.meter.admit(newRequest());
    await hold.allow(tokens);
    await hold.settle(used(0, tokens));
  };
  await spend(990);
  expect(await codeOfFailure(() => test.meter.admit(newRequest({ promptTokensBound: 100 })))).toBe('budget_exceeded');
  const budgets = (meter = test.meter) => meter.usageOf('vk_1').budgets.map(({ used: amount }) => Number(amount));
  expect(budgets()).toEqual([990, 990]);
  await test.meter.resetBudgets('vk_1', { window: 'day' }, BY);
  expect(budgets()).toEqual([0, 990]);
  await spend(300);
  expect(budgets()).toEqual([300, 1_290]);
  const again = await test.reopen();
  again.setFileKeys([newKey(LIMITS)]);
  expect(budgets(again)).toEqual([300, 1_290]);
  expect(again.usage({ by: 'key' })).toMatchObject([{ chargedTokens: 1_290 }]);
  await again.resetBudgets('vk_1', {}, BY);
  expect(budgets(again)).toEqual([0, 0]);
  test.wall.ms += DAY_MS;
  expect(budgets(again)).toEqual([0, 0]);
  const hold = await again.admit(newRequest());
  await hold.settle(used(10, 20));
  expect(budgets(again)).toEqual([30, 30]);
});

it('is one of the key, and is in the audit log with what was used of it', async () => {
  await using test = await openTestMeter();
  test.meter.setFileKeys([newKey(LIMITS)]);
  expect(await codeOfFailure(() => test.meter.resetBudgets('vk_1', { unit: 'EUR' }, BY))).toBe('invalid_value');
  expect(await codeOfFailure(() => test.meter.resetBudgets('vk_2', {}, BY))).toBe('key_unknown');
  expect(test.meter.audit.read({ limit: 9 })).toEqual([]);
  await test.meter.resetBudgets('vk_1', { window: 'day', unit: 'tokens' }, BY);
  const [entry] = test.meter.audit.read({ limit: 9 });
  expect([entry?.action, entry?.outcome, JSON.parse(entry?.diff ?? '')]).toMatchObject([
    'key.reset-budget',
    'ok',
    { before: { budgets_used: [{ window: 'day', used: 0, tokens: 1_000 }] } },
  ]);
});
