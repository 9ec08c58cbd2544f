import { expect } from 'vitest';

/** Other suites run beside, and may take most of the machine. */
const TIMEOUT_MS = 120_000;

/** An expectation of what `read` gives sooner or later. */
export function eventually<T>(read: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: TIMEOUT_MS });
}
