import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.js';
import { Deliveries } from '../../src/engine/client/deliveries.js';
import { InFlightRequest } from '../../src/engine/client/in-flight-request.js';
import type { OutputRecord } from '../../src/engine/client/output-record.js';
import { scoring } from '../../src/engine/request.js';

const token = (tokenId: number, end?: 'length'): OutputRecord => ({
  sequenceId: 1,
  tokenId,
  logprobs: undefined,
  embedding: undefined,
  end,
  cachedTokens: undefined,
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Deliveries of which each takes as long as a turn has, and requests whose callers write down what they get. */
function setUp() {
  let nowMs = 0;
  const deliveries = new Deliveries({ ...systemClock, nowMs: () => (nowMs += 1) });
  const got: string[] = [];
  let lastId = 0;
  const open = (caller: string, name = caller): InFlightRequest => {
    const request = new InFlightRequest(++lastId, { ...scoring([1]), maxTokens: 10, caller }, 0);
    const read = async (): Promise<void> => {
      for (;;) {
        const { tokenIds, finishReason } = await request.next();
        got.push(`${name} ${tokenIds.join(',')}`);
        if (finishReason !== undefined) return;
      }
    };
    void read();
    return request;
  };
  const come = (request: InFlightRequest, record: OutputRecord): void => {
    request.receive(record);
    deliveries.push(request);
  };
  return { open, come, got };
}

describe('deliveries', () => {
  it('let callers take turns, however much came for another before', async () => {
    const { open, come, got } = setUp();
    const many = Array.from({ length: 20 }, (_, i) => open('many', `many ${i}`));
    const few = open('few');
    for (const request of many) come(request, token(7, 'length'));
    come(few, token(8, 'length'));
    for (let i = 0; i < 4; i++) await turn();
    expect(got.indexOf('few 8')).toBeGreaterThanOrEqual(0);
    expect(got.indexOf('few 8')).toBeLessThanOrEqual(2);
    expect(got.length).toBeLessThan(21);
    for (let i = 0; i < 30; i++) await turn();
    expect(got.filter((text) => text.startsWith('many'))).toEqual(many.map((_, i) => `many ${i} 7`));
  });

  it('hand on together what comes for one while it waits for its turn, and nothing twice', async () => {
    const { open, come, got } = setUp();
    const [first, second] = [open('first'), open('second')];
    come(first, token(1));
    come(second, token(2));
    come(second, token(3));
    come(second, token(4, 'length'));
    for (let i = 0; i < 5; i++) await turn();
    come(first, token(5, 'length'));
    for (let i = 0; i < 5; i++) await turn();
    expect(got).toEqual(['first 1', 'second 2,3,4', 'first 5']);
  });

  it('tell nothing where what came was read already', async () => {
    const { open, come, got } = setUp();
    const [before, one] = [open('one', 'before'), open('one')];
    come(before, token(1, 'length'));
    come(one, token(2));
    // Its caller was told of the token by a delivery of its own, while another waits for its turn.
    one.deliver();
    for (let i = 0; i < 5; i++) await turn();
    expect(got).toEqual(['before 1', 'one 2']);
    come(one, token(3, 'length'));
    for (let i = 0; i < 5; i++) await turn();
    expect(got.at(-1)).toBe('one 3');
  });
});
