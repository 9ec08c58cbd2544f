// One action, one entry: what was done, what could not be done, and what a process began before it died.
import { expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { codeOfFailure, openTestMeter } from './open-test-meter.js';

const BY = { kind: 'cli', id: 'ann' };
const event = (action: string) => ({ actor: BY, action, target: 't', diff: { name: 'n' } });

it('an action has one entry, which says how it ended, and what it threw is thrown', async () => {
  await using test = await openTestMeter();
  const { audit } = test.meter;
  expect(await audit.during(event('a'), () => 7)).toBe(7);
  const failing = (): Promise<unknown> =>
    audit.during(event('b'), () => {
      throw new AppError('disk_full', 'full');
    });
  expect(await codeOfFailure(failing)).toBe('disk_full');
  await audit.during(
    event('c'),
    () => 'no',
    () => ({ outcome: 'refused', reason: 'not now' }),
  );
  expect(audit.read({ limit: 9 }).map(({ action, outcome, reason, diff }) => [action, outcome, reason, diff])).toEqual([
    ['a', 'ok', '', '{"name":"n"}'],
    ['b', 'failed', 'disk_full', '{"name":"n"}'],
    ['c', 'refused', 'not now', '{"name":"n"}'],
  ]);
  expect(await audit.verify()).toEqual({ entries: 3, ok: true });
});

it('an action whose process ends before it has an entry at the next start, whose outcome is not known', async () => {
  await using test = await openTestMeter();
  void test.meter.audit.during(event('slow'), () => new Promise(() => {}));
  await test.meter.audit.during(event('quick'), () => {});
  expect(test.meter.audit.read({ limit: 9 }).map(({ action }) => action)).toEqual(['quick']);
  const again = await test.reopen();
  expect(again.audit.read({ limit: 9 }).map(({ action, outcome }) => [action, outcome])).toEqual([
    ['quick', 'ok'],
    ['slow', 'unknown'],
  ]);
  expect(await again.audit.verify()).toEqual({ entries: 2, ok: true });
  expect((await test.reopen()).audit.read({ limit: 9 })).toHaveLength(2);
});
