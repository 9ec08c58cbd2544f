import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/base/index.js';

describe('turns', () => {
  it('go round the owners, and within one from the oldest on', () => {
    const turns = new Turns<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.push(item[0], item);
    expect(turns.size).toBe(6);
    const taken = Array.from({ length: 4 }, () => turns.take());
    turns.push('d', 'd1');
    turns.push('a', 'a4');
    for (let next = turns.take(); next !== undefined; next = turns.take()) taken.push(next);
    expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'd1', 'a4']);
    expect([turns.size, turns.take()]).toEqual([0, undefined]);
  });

  it('leave out owners that may not, by how much they have', () => {
    const turns = new Turns<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) turns.push(item[0], item);
    const few = (_owner: unknown, size: number): boolean => size < 3;
    expect(Array.from({ length: 3 }, () => turns.take(few))).toEqual(['b1', 'b2', undefined]);
    expect(turns.take()).toBe('a1');
    expect(turns.take(few)).toBe('a2');
  });
});
