import { afterAll, beforeAll, expect, it } from 'vitest';
import { overTransports } from '../http/over-transports.js';
import { expectGolden, readGoldenErrors } from './golden-errors.js';
import { offencesOf } from './openai-schemas.js';
import { startServing, type Serving } from './serving.js';

const golden = readGoldenErrors('server/errors.json');

overTransports('a request that cannot be answered', (transport) => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing({}, { transport });
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it('has at least sixty kinds', () => {
    expect(golden.length).toBeGreaterThanOrEqual(60);
    expect(new Set(golden.map(({ name }) => name)).size).toBe(golden.length);
  });

  it.each(golden.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    expect(offencesOf('ErrorResponse', await expectGolden(serving, one))).toEqual([]);
  });

  it('loads no model and touches no file that its name did not list', async () => {
    expect(serving.host.models().map(({ id }) => id)).toEqual(['demo']);
  });

  it('says nothing of the request in the log', () => {
    const lines = JSON.stringify(serving.log);
    expect(serving.log.length).toBeGreaterThanOrEqual(golden.length);
    expect(lines).not.toMatch(/passwd|gpt-4o|robot|one two three/);
  });
});
