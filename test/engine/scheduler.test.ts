import { describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import { KvCache } from '../../src/engine/cache/kv-cache.js';
import { scoring, type GenerateRequest } from '../../src/engine/request.js';
import { Scheduler } from '../../src/engine/scheduling/scheduler.js';
import { RowKeys } from '../../src/engine/media/row-keys.js';
import { Sequence } from '../../src/engine/sequence.js';

const LIMITS = { maxRows: 64, chunkRows: 64, maxSequences: 8, maxWaiting: 8 };
const DECODE_MS = 40;

function sequence(id: number, promptTokens: number, place: Partial<GenerateRequest> = {}): Sequence {
  const promptTokenIds = Array.from({ length: promptTokens }, (_, at) => (at * 7 + id) % 100);
  const request = { ...scoring(promptTokenIds), maxTokens: 4_000, ...place };
  return new Sequence(id, request, [], { vocabSize: 100, nowMs: 0, rowKeys: new RowKeys() });
}

/** Runs a step on a machine on which a row of a prompt takes `promptRowMs`; how many rows the prompt got. */
function step(scheduler: Scheduler, promptRowMs: number): number {
  const rows = scheduler.schedule(() => []);
  const promptRows = rows.reduce((sum, { count, isChunk }) => sum + (isChunk ? count : 0), 0);
  for (const { sequence: one, count } of rows) {
    one.numComputed += count;
    if (one.numPending === 0) one.tokenIds.push(1);
  }
  scheduler.learn(rows, DECODE_MS + promptRows * promptRowMs);
  return promptRows;
}

describe('scheduler', () => {
  it('gives a prompt more rows again when the machine has recovered, also from a single row a step', () => {
    const scheduler = new Scheduler(LIMITS, new KvCache(512, () => {}));
    scheduler.add(sequence(0, 1));
    for (let i = 0; i < 10; i++) step(scheduler, 0);
    scheduler.add(sequence(1, 3_000));
    const disturbed = Array.from({ length: 20 }, () => step(scheduler, 60));
    expect(disturbed.at(-1)).toBe(1);
    const recovered = Array.from({ length: 40 }, () => step(scheduler, 1));
    // 22 make a step 1.55 times as long as before.
    expect(recovered.at(-1)).toBeGreaterThan(15);
    expect(Math.max(...recovered)).toBeLessThanOrEqual(22);
  });

  it('runs the most urgent first, of any caller, and the oldest among equals', () => {
    const scheduler = new Scheduler({ ...LIMITS, maxSequences: 1 }, new KvCache(512, () => {}));
    const asked = [
      ['ada', 0],
      ['ada', 10],
      ['bob', 5],
      ['', 0],
      ['ada', 10],
      ['', 7],
    ] as const;
    asked.forEach(([caller, priority], id) => scheduler.add(sequence(id, 4, { caller, priority })));
    const order = asked.map(() => {
      const next = present(scheduler.schedule(() => [])[0], 'one runs').sequence;
      scheduler.remove(next);
      return next.id;
    });
    expect(order.slice(0, 4)).toEqual([1, 4, 5, 2]);
    expect(new Set(order.slice(4))).toEqual(new Set([0, 3]));
  });

  it('gives a caller who comes late a place of the one who has all, and no more than an eighth of them', () => {
    const scheduler = new Scheduler({ ...LIMITS, maxSequences: 16 }, new KvCache(512, () => {}));
    const many = Array.from({ length: 20 }, (_, id) => sequence(id, 1, { caller: 'many' }));
    for (const each of many) scheduler.add(each);
    const running = (): Sequence[] => scheduler.schedule(() => []).map(({ sequence: each }) => each);
    for (let i = 0; i < 3; i++) step(scheduler, 0);
    expect(running()).toEqual(many.slice(0, 16));
    const few = Array.from({ length: 4 }, (_, id) => sequence(20 + id, 1, { caller: 'few' }));
    for (const each of few) scheduler.add(each);
    step(scheduler, 0);
    // The newest of the other gave way, and both go on where they were.
    expect(running()).toEqual([...many.slice(0, 14), ...few.slice(0, 2)]);
    for (const each of few.slice(0, 2)) scheduler.remove(each);
    step(scheduler, 0);
    expect(running()).toEqual([...many.slice(0, 14), ...few.slice(2)]);
    for (const each of few.slice(2)) scheduler.remove(each);
    step(scheduler, 0);
    expect(new Set(running())).toEqual(new Set(many.slice(0, 16)));
    expect(many[15]?.numGenerated).toBeGreaterThan(0);
  });

  it('keeps a place for an urgent sequence', () => {
    const scheduler = new Scheduler(LIMITS, new KvCache(512, () => {}));
    const urgent = Array.from({ length: 8 }, (_, id) => sequence(id, 1, { caller: 'many', priority: 1 }));
    for (const each of urgent) scheduler.add(each);
    step(scheduler, 0);
    scheduler.add(sequence(8, 1, { caller: 'few' }));
    step(scheduler, 0);
    expect([scheduler.numRunning, scheduler.numWaiting]).toEqual([8, 1]);
    scheduler.add(sequence(9, 1, { caller: 'few', priority: 1 }));
    const rows = scheduler.schedule(() => []);
    expect(rows.map(({ sequence: { id } }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 9]);
  });

  it('computes the first prompt of each caller before the second of any', () => {
    const scheduler = new Scheduler(LIMITS, new KvCache(512, () => {}));
    for (const id of [0, 1, 2]) scheduler.add(sequence(id, 60, { caller: 'many' }));
    scheduler.add(sequence(3, 60, { caller: 'few' }));
    const [first, second] = scheduler.schedule(() => []);
    expect([first?.sequence.id, first?.count]).toEqual([0, 60]);
    expect([second?.sequence.id, second?.count]).toEqual([3, 4]);
  });

  it('goes on with what a constraint has forced before a prompt that came earlier', () => {
    const scheduler = new Scheduler(LIMITS, new KvCache(512, () => {}));
    scheduler.add(sequence(0, 3_000));
    step(scheduler, 0);
    const answer = sequence(1, 1);
    scheduler.add(answer);
    step(scheduler, 0);
    answer.tokenIds.push(2, 3);
    const [first] = scheduler.schedule(() => []);
    expect(first).toMatchObject({ sequence: answer, count: 3, isChunk: false });
  });

  it('lets choices in when there are blocks for what they will write', () => {
    const scheduler = new Scheduler(LIMITS, new KvCache(4, () => {}));
    scheduler.add(sequence(0, 70, { group: 1 }));
    step(scheduler, 0);
    step(scheduler, 0);
    // Each has to copy the last of three blocks, and one is free.
    const choices = [sequence(0, 70, { group: 1 }), sequence(0, 70, { group: 1 })];
    for (const choice of choices) scheduler.add(choice);
    step(scheduler, 0);
    expect([scheduler.numRunning, scheduler.numWaiting]).toEqual([2, 1]);
    expect(choices.map(({ numCached }) => numCached)).toEqual([69, undefined]);
  });

  it('leaves the prompt out of one step in sixteen, also while its chunk is a single row', () => {
    const scheduler = new Scheduler(LIMITS, new KvCache(512, () => {}));
    scheduler.add(sequence(0, 1));
    for (let i = 0; i < 10; i++) step(scheduler, 0);
    scheduler.add(sequence(1, 3_000));
    const rows = Array.from({ length: 68 }, () => step(scheduler, 60));
    expect(rows.filter((count) => count === 0)).toHaveLength(4);
  });
});
