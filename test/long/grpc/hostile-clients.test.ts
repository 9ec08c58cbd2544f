import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { median } from '../../../src/base/index.js';
import { troupe } from '../../../src/grpc/index.js';
import { answered, frame, start } from '../../grpc/raw-client.js';
import { startServerProcess, type ServerProcess } from '../../grpc/server-process.js';

// S11: what one client does to a server, and what the others notice.
let server: ServerProcess;
let baseMb = 0;
let baseMs = 0;
beforeAll(async () => {
  server = await startServerProcess();
  await server.data.chat(ask);
  await medianOf(async () => {});
  baseMs = await medianOf(async () => {
    for (let i = 0; i < 400; i++) await server.control.health.check();
  });
  baseMb = server.rssMb();
});
afterAll(() => server[Symbol.asyncDispose]());

const ask = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 };
const CHAT = '/troupe.engine.v1.Inference/Chat';
const body = (maxTokens: number): Buffer =>
  frame(
    troupe.engine.v1.ChatRequest.encode({ ...ask, max_tokens: maxTokens, sampling: { ignore_eos: true } }).finish(),
  );

/** A session of its own; what the server thinks of it is not its business. */
function openSession(): ClientHttp2Session {
  const { cert, key } = server.issued.data;
  const session = connect(`https://localhost:${server.port}`, {
    ca: server.ca.cert,
    cert,
    key,
    // In MB: what is sent at once is this side's to hold.
    maxSessionMemory: 200,
  });
  session.on('error', () => {});
  return session;
}

/** The median of what another client's health checks take while `work` goes on, in milliseconds. */
async function medianOf(work: () => Promise<void>): Promise<number> {
  let isOver = false;
  const times: number[] = [];
  const measuring = (async () => {
    while (!isOver || times.length < 100) {
      const beganMs = performance.now();
      await server.control.health.check();
      times.push(performance.now() - beganMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await work();
  isOver = true;
  await measuring;
  return median(times);
}

/** The attacker burns a core itself, which is no fault of the server: the median, and a floor for what counts as slow. */
const FLOOR_MS = 100;

async function expectCalm(tookMs: number): Promise<void> {
  expect(tookMs).toBeLessThan(Math.max(2 * baseMs, FLOOR_MS));
  await expect.poll(async () => (await server.control.control.status()).calls.length, { timeout: 30_000 }).toBe(0);
  expect((await server.data.chat(ask)).choices).toHaveLength(1);
  // What is garbage goes when the process has a moment.
  await expect.poll(() => server.rssMb(), { timeout: 60_000 }).toBeLessThan(baseMb + 200);
}

describe('a client', () => {
  it('that resets each of 20,000 streams at once is cut off', async () => {
    let numGoaways = 0;
    const took = await medianOf(async () => {
      for (let turn = 0; turn < 10; turn++) {
        const session = openSession();
        session.on('goaway', () => numGoaways++);
        await new Promise((resolve) => session.once('connect', resolve));
        for (let i = 0; i < 2_000 && !session.destroyed && !session.closed; i++) {
          start(session, CHAT).close(constants.NGHTTP2_CANCEL);
          if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await new Promise((resolve) => {
          session.once('close', resolve);
          setTimeout(resolve, 2_000);
        });
        session.destroy();
      }
    });
    expect(numGoaways).toBeGreaterThan(0);
    await expectCalm(took);
  });

  it('that opens 10,000 streams has each of them answered or refused', async () => {
    const codes = new Map<string, number>();
    await medianOf(async () => {
      const sessions = Array.from({ length: 20 }, openSession);
      await Promise.all(
        sessions.map(async (session) => {
          const ends = Array.from({ length: 500 }, () => {
            const stream = start(session, CHAT);
            stream.end(body(2));
            return answered(stream);
          });
          for (const { headers } of await Promise.all(ends)) {
            const code = headers['grpc-status'] ?? 'none';
            codes.set(code, (codes.get(code) ?? 0) + 1);
          }
          session.destroy();
        }),
      );
    });
    // On a machine that is slower than its templates' time limit some are told that (3).
    expect([...codes.keys()].filter((code) => !['0', '3', '8'].includes(code))).toEqual([]);
    expect([...codes.values()].reduce((sum, count) => sum + count)).toBe(10_000);
    expect(codes.get('0')).toBeGreaterThan(500);
    // How long others wait is not told here: this process reads the 10,000 answers itself.
    await expectCalm(0);
  });

  it('that cancels 100,000 calls leaves nothing of them', async () => {
    let numCancelled = 0;
    const rss: number[] = [];
    await medianOf(async () => {
      while (numCancelled < 100_000) {
        const session = openSession();
        await new Promise((resolve) => session.once('connect', resolve));
        // Fewer than what a session may reset before it is cut off.
        for (let turn = 0; turn < 9; turn++) {
          const streams = Array.from({ length: 100 }, () => {
            const stream = start(session, CHAT);
            stream.end(body(1_000));
            return stream;
          });
          await Promise.race(
            streams.map((stream) => new Promise((resolve) => stream.once('response', resolve).once('close', resolve))),
          );
          await Promise.all(
            streams.map((stream) => {
              const closed = new Promise((resolve) => stream.once('close', resolve));
              stream.close(constants.NGHTTP2_CANCEL);
              return closed;
            }),
          );
          numCancelled += streams.length;
        }
        session.destroy();
        rss.push(server.rssMb());
      }
    });
    await expectCalm(0);
    // What the last tenth had is what the first tenth had.
    const tenth = Math.floor(rss.length / 10);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(rss.slice(-tenth))).toBeLessThan(mean(rss.slice(tenth, 2 * tenth)) + 60);
  });

  it('that sends 64 MB, or never ends what it sends, gets RESOURCE_EXHAUSTED or an end', async () => {
    const took = await medianOf(async () => {
      const session = openSession();
      const large = start(session, CHAT);
      const end = answered(large);
      large.end(frame(Buffer.alloc(64 << 20)));
      expect((await end).headers['grpc-status']).toBe('8');
      session.destroy();
    });
    await expectCalm(took);
  });
});
