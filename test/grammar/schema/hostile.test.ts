import { describe, expect, it } from 'vitest';
import { tryRead } from './compare.js';
import { hostileSchemas } from './hostile-schemas.js';

describe('a hostile schema', () => {
  it.each(hostileSchemas)('with %s is %s within a second and some memory', (_name, outcome, schema) => {
    const started = process.cpuUsage();
    const read = tryRead(schema);
    expect(typeof read === 'string' ? read : 'compiled').toBe(outcome);
    // Time of this thread and the collector's: a machine that runs other tests as well has less for this one.
    expect(process.cpuUsage(started).user).toBeLessThan(1_500_000);
    expect(process.memoryUsage().heapUsed).toBeLessThan(1_000_000_000);
  });
});
