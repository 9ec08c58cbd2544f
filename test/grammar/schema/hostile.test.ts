import { describe, expect, it } from 'vitest';
import { tryRead } from './compare.js';
import { hostileSchemas } from './hostile-schemas.js';
import { expectCpuWithin } from '../../support/elapsed.js';

describe('a hostile schema', () => {
  it.each(hostileSchemas)('with %s is %s within a second and some memory', (_name, outcome, schema) => {
    const read = expectCpuWithin(1_500, () => tryRead(schema));
    expect(typeof read === 'string' ? read : 'compiled').toBe(outcome);
    expect(process.memoryUsage().heapUsed).toBeLessThan(1_000_000_000);
  });
});
