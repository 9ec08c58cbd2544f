import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { forbiddenUrls } from './forbidden-urls.js';
import { startHoneypot, type Honeypot } from './honeypot.js';

/** A honeypot for the tests of a suite, each of which begins with no visit, and a test that it notices permitted connections. */
export function useHoneypot(): Pick<Honeypot, 'port' | 'visits'> {
  let honeypot: Honeypot;
  beforeAll(async () => void (honeypot = await startHoneypot()));
  beforeEach(() => honeypot.forget());
  afterAll(() => honeypot[Symbol.asyncDispose]());
  it('are 150, and the honeypot notices the permitted ones', async () => {
    expect(new Set(forbiddenUrls(1)).size).toBeGreaterThanOrEqual(150);
    await honeypot.visit();
    expect(honeypot.visits).toBe(1);
  });
  return {
    get port() {
      return honeypot.port;
    },
    get visits() {
      return honeypot.visits;
    },
  };
}
