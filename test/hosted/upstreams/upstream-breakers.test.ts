import { describe, expect, it } from 'vitest';
import { UpstreamBreakers, type UpstreamResult } from '../../../src/hosted/upstreams/upstream-breakers.js';
import { HandClock } from '../../http/hand-clock.js';

const start = (): {
  readonly clock: HandClock;
  readonly breakers: UpstreamBreakers;
  /** Whether it went out. */
  readonly send: (model: string, account: string, result?: UpstreamResult) => boolean;
} => {
  const clock = new HandClock();
  const breakers = new UpstreamBreakers(clock);
  const send = (model: string, account: string, result: UpstreamResult = 'succeeded'): boolean => {
    const attempt = breakers.begin({ model, account });
    attempt?.end(result);
    return attempt !== undefined;
  };
  return { clock, breakers, send };
};

describe('the breakers of an upstream', () => {
  it('close a model to the one account whose requests fail, and to no other', () => {
    const { send, breakers } = start();
    for (let i = 0; i < 5; i++) expect(send('a', 'one', 'failed')).toBe(true);
    expect(send('a', 'one')).toBe(false);
    expect(send('b', 'one')).toBe(true);
    expect(send('a', 'two')).toBe(true);
    expect([breakers.state, breakers.closedModels]).toEqual(['closed', []]);
  });

  it.each([
    [['one', 'one', 'one', 'one', 'two']],
    [['one', 'two', 'one', 'two', 'three']],
    [['one', 'one', 'one', 'one', 'one', 'two']],
  ])('close a model to all where %j met its failures, and no other model', (accounts) => {
    const { send, breakers } = start();
    for (const account of accounts) send('a', account, 'failed');
    expect(send('a', 'other')).toBe(false);
    expect(send('b', 'other')).toBe(true);
    expect([breakers.state, breakers.closedModels]).toEqual(['closed', ['a']]);
  });

  it('let one request try after a while, which decides', () => {
    const { send, clock } = start();
    for (const account of ['one', 'two', 'one', 'two', 'one']) send('a', account, 'failed');
    clock.advance(30_000);
    expect(send('a', 'three', 'failed')).toBe(true);
    expect(send('a', 'four')).toBe(false);
    clock.advance(30_000);
    expect(send('a', 'four')).toBe(true);
    expect(send('a', 'three')).toBe(true);
  });

  it('let one request out at a time while they try', () => {
    const { clock, breakers, send } = start();
    for (const account of ['one', 'two', 'one', 'two', 'one']) send('a', account, 'failed');
    clock.advance(30_000);
    const trial = breakers.begin({ model: 'a', account: 'three' });
    expect(trial).toBeDefined();
    expect(breakers.begin({ model: 'a', account: 'four' })).toBeUndefined();
    trial?.end('unknown');
    expect(breakers.begin({ model: 'a', account: 'four' })).toBeDefined();
  });

  it('close everything where there is no connection, for every account', () => {
    const { send, clock, breakers } = start();
    for (const model of ['a', 'b', 'c', 'd', 'e']) expect(send(model, 'one', 'unreached')).toBe(true);
    expect([breakers.state, send('f', 'two')]).toEqual(['open', false]);
    clock.advance(30_000);
    expect(send('f', 'two', 'failed')).toBe(true);
    expect(breakers.state).toBe('closed');
  });

  it('count failures in a row: an answer between them begins anew', () => {
    const { send } = start();
    for (let i = 0; i < 40; i++)
      expect(send('a', i % 8 < 4 ? 'one' : 'two', i % 4 === 3 ? 'succeeded' : 'failed')).toBe(true);
  });

  it('take an error that may be the request’s doing, and a client that left, for nothing', () => {
    const { send } = start();
    for (let i = 0; i < 20; i++) expect(send('a', `${i}`, i % 2 === 0 ? 'erred' : 'unknown')).toBe(true);
  });
});
