import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { defaultBudget, resolveOptions } from '../../src/models/engine-options.js';

const GIB = 2 ** 30;

it.each([
  ['no limit is known', undefined, 12],
  ['the system knows none', 0, 12],
  ['there is none, and libuv says so by a huge number', 18_446_744_073_709_552_000, 12],
  ['the limit is above the memory', 32 * GIB, 12],
  ['a container is limited', 4 * GIB, 3],
])('the memory budget of a machine of 16 GiB, where %s', (_, constrained, gib) => {
  expect(defaultBudget(16 * GIB, constrained)).toBe(gib * GIB);
});

it('the memory budget of this machine is part of its memory', () => {
  const { memoryBudgetBytes } = resolveOptions({});
  expect(memoryBudgetBytes).toBeGreaterThan(2 ** 20);
  expect(memoryBudgetBytes).toBeLessThanOrEqual(0.75 * totalmem());
});

it.each([
  [{ speculation: 'false' }, 'speculation is "false"; it must be true or false'],
  [{ modelsDir: 5 }, 'modelsDir is 5; it must be a path'],
  [{ stepTimeoutMs: 0 }, 'stepTimeoutMs is 0; it must be a number of milliseconds from 1 on, or Infinity'],
  [{ stepTimeoutMs: '60' }, 'stepTimeoutMs is "60"; it must be a number of milliseconds'],
  [{ stepTimeoutMs: NaN }, 'it must be a number of milliseconds'],
])('refuses %j', (options, message) => {
  expect(() => resolveOptions(options as never)).toThrow(message);
});
