import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import { BlockPool } from '../../src/engine/cache/block-pool.js';

/** What a block pool is, told plainly: how many hold each block, what is remembered, and the order of falling idle. */
class ModelPool {
  readonly holders: number[];
  readonly remembered = new Set<number>();
  idle: number[] = [];
  readonly forgotten: number[] = [];

  constructor(size: number) {
    this.holders = Array.from({ length: size }, () => 0);
  }

  get available(): number {
    return this.holders.filter((count) => count === 0).length;
  }

  /** What a take must give: any block that is free, else the one idle for longest. */
  mayTake(block: number | undefined): boolean {
    const free = this.holders.flatMap((count, id) => (count === 0 && !this.idle.includes(id) ? [id] : []));
    if (free.length > 0) return block !== undefined && free.includes(block);
    return block === this.idle[0];
  }

  took(block: number): void {
    if (this.idle.includes(block)) {
      this.idle = this.idle.filter((id) => id !== block);
      this.remembered.delete(block);
      this.forgotten.push(block);
    }
    this.holders[block] = 1;
  }

  share(block: number): void {
    this.idle = this.idle.filter((id) => id !== block);
    this.holders[block] = present(this.holders[block], 'in range') + 1;
  }

  forget(block: number): void {
    this.remembered.delete(block);
    this.idle = this.idle.filter((id) => id !== block);
  }

  release(block: number): void {
    const count = present(this.holders[block], 'in range') - 1;
    this.holders[block] = count;
    if (count === 0 && this.remembered.has(block)) this.idle.push(block);
  }
}

/** Runs `choices` as operations on pool and model alike; every choice is some operation that is allowed then. */
function compare(size: number, choices: Iterable<number>): void {
  const pool = new BlockPool(size);
  const model = new ModelPool(size);
  const forgotten: number[] = [];
  pool.onForget((block) => forgotten.push(block));
  for (const choice of choices) {
    const block = choice % size;
    const held = present(model.holders[block], 'in range') > 0;
    switch (Math.floor(choice / size) % 5) {
      case 0: {
        const taken = pool.take();
        if (!model.mayTake(taken)) throw new Error(`took ${String(taken)}`);
        if (taken !== undefined) model.took(taken);
        break;
      }
      case 1:
        if (!held && !model.idle.includes(block)) continue;
        pool.share(block);
        model.share(block);
        break;
      case 2:
        if (!held) continue;
        pool.release([block]);
        model.release(block);
        break;
      case 3:
        pool.forget(block);
        model.forget(block);
        break;
      default:
        if (!held) continue;
        pool.remember(block);
        model.remembered.add(block);
    }
    if (pool.numAvailable !== model.available)
      throw new Error(`${pool.numAvailable} available, not ${model.available}`);
    if (pool.holders(block) !== model.holders[block])
      throw new Error(`block ${block} has ${pool.holders(block)} holders`);
    if (pool.isOwn(block) !== (model.holders[block] === 1 && !model.remembered.has(block)))
      throw new Error(`block ${block} may be written: ${pool.isOwn(block)}`);
    if (pool.numRemembered !== model.remembered.size) throw new Error(`${pool.numRemembered} remembered`);
  }
  expect(forgotten).toEqual(model.forgotten);
}

describe('block pool', () => {
  it('agrees with a plain model, whatever is done with it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(fc.nat(1000), { maxLength: 300 }), (size, choices) => {
        compare(size, choices);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with it over 1,000,000 random operations: no leak, no double free', () => {
    let state = 7;
    const next = (): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 8;
    };
    compare(
      13,
      (function* () {
        for (let i = 0; i < 1_000_000; i++) yield next();
      })(),
    );
  });

  it('forgets of a chain the end before the beginning', () => {
    const pool = new BlockPool(3);
    const chain = [pool.take(), pool.take(), pool.take()].map((block) => present(block, 'free'));
    for (const block of chain) pool.remember(block);
    pool.release(chain);
    expect([pool.take(), pool.take(), pool.take()]).toEqual(chain.toReversed());
  });

  it('refuses to release or share a block without a holder', () => {
    const pool = new BlockPool(2);
    expect(() => pool.release([0])).toThrow('block 0 is held');
    expect(() => pool.share(1)).toThrow('block 1 is held');
  });
});
