import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockPool } from '../../src/engine/block-pool.js';

describe('block pool', () => {
  it('never gives a block twice and takes every one back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(fc.boolean(), { maxLength: 300 }), (size, takes) => {
        const pool = new BlockPool(size);
        const held: number[] = [];
        for (const take of takes) {
          const block = take ? pool.take() : undefined;
          if (block !== undefined) {
            expect(held).not.toContain(block);
            held.push(block);
          } else if (!take && held.length > 0) {
            pool.free(held.splice(0, 1));
          } else {
            expect(take ? pool.numFree : held.length).toBe(0);
          }
          expect(pool.numFree + held.length).toBe(size);
        }
      }),
    );
  });

  it('refuses a block that is not taken', () => {
    const pool = new BlockPool(2);
    expect(() => pool.free([0])).toThrow('block 0 is taken');
  });
});
