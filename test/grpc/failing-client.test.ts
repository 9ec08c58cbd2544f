// A client whose calls fail again and again is slowed down, and no other client is.
import { expect, it } from 'vitest';
import { grpc, troupe } from '../../src/grpc/index.js';
import { callRaw, frame, openSession } from './raw-client.js';
import { startProduction } from './production.js';
import { expectWithin } from '../support/elapsed.js';

const COMPLETE = '/troupe.engine.v1.Inference/Complete';
const hello = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 };
const bodyOf = (more: object): Buffer => frame(troupe.engine.v1.ChatRequest.encode({ ...hello, ...more }).finish());
const bad = bodyOf({ sampling: { temperature: 2.5 } });
const good = bodyOf({});
const health = frame(grpc.health.v1.HealthCheckRequest.encode({}).finish());

it('waits for what it failed too often, but not for its health, and others do not wait', async () => {
  await using production = await startProduction({ limits: { failureBurst: 4, failuresPerSecond: 4 } });
  const [own, other] = [production.issued.data, production.issued.control].map((who) => openSession(production, who));
  if (own === undefined || other === undefined) throw new Error('two sessions');
  const beganMs = performance.now();
  const timed = async (
    session: typeof own,
    path: string,
    body: Uint8Array,
  ): Promise<readonly [string | undefined, number]> => {
    const { headers } = await callRaw(session, path, body);
    return [headers['grpc-status'], performance.now() - beganMs];
  };
  const HEALTH = '/grpc.health.v1.Health/Check';
  try {
    const failed = await Promise.all(Array.from({ length: 12 }, () => timed(own, COMPLETE, bad)));
    expect(failed.map(([code]) => code)).toEqual(Array.from({ length: 12 }, () => '3'));
    const [[status, ownMs], [otherStatus, otherMs], [nextStatus, nextMs]] = await Promise.all([
      timed(own, HEALTH, health),
      timed(other, HEALTH, health),
      timed(own, COMPLETE, good),
    ]);
    expect([status, otherStatus, nextStatus]).toEqual(['0', '0', '0']);
    // Twelve, four at once and four a second, and room for one.
    expect(nextMs).toBeGreaterThan(2_200);
    expect(Math.max(ownMs, otherMs)).toBeLessThan(nextMs);
    // Those that succeed cost nothing: as many as it likes follow each other, once one may begin.
    const againMs = performance.now();
    for (let i = 0; i < 20; i++) expect((await timed(own, COMPLETE, good))[0]).toBe('0');
    expectWithin(5_000, againMs);
  } finally {
    own.destroy();
    other.destroy();
  }
});
