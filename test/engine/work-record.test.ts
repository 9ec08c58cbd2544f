import { expect, it } from 'vitest';
import { createWorkMemory, WorkRecord } from '../../src/engine/client/work-record.js';

const crowd = Array.from({ length: 64 }, (_, index) => ({ id: 1_000 + index, numTokens: index * 100 }));

it('tells the other end what is under way, until it has ended or is cleared', () => {
  const memory = createWorkMemory(64);
  const [engine, client] = [new WorkRecord(memory), new WorkRecord(memory)];
  expect(client.underWay).toEqual([]);
  engine.begin(crowd);
  expect(client.underWay).toEqual(crowd);
  engine.end(5);
  expect(client.underWay).toEqual([]);
  engine.begin(crowd.slice(3, 5));
  expect(client.underWay).toEqual(crowd.slice(3, 5));
  client.clear();
  expect(client.underWay).toEqual([]);
});

it('shows a sign of life at the begin, in the middle and at the end of work', () => {
  const record = new WorkRecord(createWorkMemory(2));
  const seen = new Set([record.beats]);
  for (const act of [() => record.begin(crowd.slice(0, 1)), () => record.beat(), () => record.end()]) {
    act();
    seen.add(record.beats);
  }
  expect(seen.size).toBe(4);
});

it('has the median of the last 64 steps, and of fewer before there are so many', () => {
  const record = new WorkRecord(createWorkMemory(2));
  expect(record.medianStepMs).toBe(0);
  record.end();
  expect(record.medianStepMs).toBe(0);
  for (const ms of [1, 100, 7]) record.end(ms);
  expect(record.medianStepMs).toBe(7);
  for (let step = 0; step < 64; step++) record.end(30);
  expect(record.medianStepMs).toBe(30);
});
