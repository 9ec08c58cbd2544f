// A client that opens many streams at once waits while others call, and only then.
import { expect, it } from 'vitest';
import { grpc, troupe } from '../../src/grpc/index.js';
import { answered, callRaw, frame, openSession, start } from './raw-client.js';
import { startProduction } from './production.js';

const HEALTH = '/grpc.health.v1.Health/Check';
const health = frame(grpc.health.v1.HealthCheckRequest.encode({}).finish());
const count = frame(
  troupe.engine.v1.CountTokensRequest.encode({ chat: { messages: [{ role: 'user', content: 'hi' }] } }).finish(),
);
const NUM_STREAMS = 300;

it('waits while others call, and is answered in full', async () => {
  // Whatever the thread does is too much, and the least share is next to nothing.
  const limits = { pacedStreams: 4, sharedUtilization: 0, leastBeginShare: 1e-6 };
  await using production = await startProduction({ limits });
  const [own, other] = [production.issued.data, production.issued.control].map((who) => openSession(production, who));
  if (own === undefined || other === undefined) throw new Error('two sessions');
  try {
    let isOthersTurn = true;
    let numAnswered = 0;
    const others = (async (): Promise<void> => {
      for (; isOthersTurn; numAnswered++)
        expect((await callRaw(other, HEALTH, health)).headers['grpc-status']).toBe('0');
    })();
    await callRaw(other, HEALTH, health);
    const statuses: (string | undefined)[] = [];
    const all = Array.from({ length: NUM_STREAMS }, async () => {
      const stream = start(own, '/troupe.engine.v1.Inference/CountTokens');
      stream.end(count);
      statuses.push((await answered(stream)).headers['grpc-status']);
    });
    await expect.poll(() => numAnswered).toBeGreaterThan(40);
    const whileOthersCalled = statuses.length;
    isOthersTurn = false;
    await others;
    expect(whileOthersCalled).toBeLessThan(NUM_STREAMS / 2);
    await Promise.all(all);
    expect(statuses).toEqual(Array.from({ length: NUM_STREAMS }, () => '0'));
  } finally {
    own.destroy();
    other.destroy();
  }
});
