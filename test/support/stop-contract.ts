// What every product that relays does when SIGTERM comes: at each moment of a stream, beyond the grace, and to what comes after.
import type { ChildProcess } from 'node:child_process';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openEvents, startRuntime, type Play } from '../gateway/serving/runtime.js';
import { openRaw, signalOf } from '../http/over-transports.js';

/** A product in a process of its own, which relays chats to one upstream. */
export interface StoppedProduct extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: number;
  /** Where it takes chats for the model `demo` of its upstream. */
  readonly path: string;
  readonly key: string;
  /** Resolves with its exit status, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  /** Completion tokens of each request, as its books or its request log have them. Called when the process is gone. */
  charged(): Promise<readonly number[]>;
}

/** Starts a product whose upstream is at `url`, and whose drain takes `drainS` seconds at most. */
export type StartProduct = (url: string, drainS: number) => Promise<StoppedProduct>;

/** Pieces of the answer, some milliseconds apart. */
const PIECES = 12;
/** Moments of a stream, by the piece of the answer that the upstream says next: before it says anything, at or after events. */
const MOMENTS = [-1, 0, 1, PIECES / 2, PIECES - 1];
/** Streams at each of them, and requests of which half was sent, when the signal comes. */
const AT_EACH = 2;
/** Moments at which nothing else keeps the product from its end. */
const LAST_MOMENTS = { 'when all but the end was said': PIECES, 'when the client has all of it': Infinity };
/** Requests at once at the last moments. */
const CLIENTS = 4;
/** Longer than any of these streams takes. */
const LONG_S = 20;

const BODY = JSON.stringify({
  model: 'demo',
  messages: [{ role: 'user', content: 'Hi' }],
  stream: true,
  stream_options: { include_usage: true },
});

interface Streamed {
  readonly status: number;
  readonly text: string;
  readonly isBroken: boolean;
}

/** Sends a chat in two halves; the second one when `whenAsked` says so, after the product has read the head. */
function askSlowly({ port, path, key }: StoppedProduct, whenAsked: () => Promise<void>): Promise<Streamed> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': BODY.length,
      expect: '100-continue',
    };
    const request = send({ port, host: '127.0.0.1', method: 'POST', path, headers });
    request.on('error', reject);
    request.on('continue', () => {
      request.write(BODY.slice(0, BODY.length / 2));
      void whenAsked().then(() => request.end(BODY.slice(BODY.length / 2)));
    });
    request.on('response', (response) => {
      let text = '';
      const done = (isBroken: boolean): void => resolve({ status: response.statusCode ?? 0, text, isBroken });
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (text += piece));
      response.on('end', () => done(false));
      response.on('error', () => done(true));
    });
    request.flushHeaders();
  });
}

/** Waits until a port takes no more connections: the signal was seen. */
async function whenClosed(port: number): Promise<void> {
  const isOpen = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  while (await isOpen()) await sleep(5);
}

/** Streams of `PIECES` tokens. `begin` is called for each, and what it returns before each of its steps. */
function speak(begin: () => (piece: number) => void | Promise<void>): Play {
  return async (_, socket) => {
    const at = begin();
    await at(-1);
    await sleep(20);
    const events = openEvents(socket);
    for (let piece = 0; piece <= PIECES; piece++) {
      await at(piece);
      if (piece < PIECES) events.token();
      await sleep(5);
    }
    events.usage(3, PIECES);
    events.end();
  };
}

/** Each answer is whole and charged, and the product has ended as it should. */
async function expectWhole(product: StoppedProduct, answers: readonly Streamed[]): Promise<void> {
  for (const { status, text, isBroken } of answers) {
    expect([status, isBroken]).toEqual([200, false]);
    expect(text.match(/"content":" a"/g)).toHaveLength(PIECES);
    expect(text).toMatch(/"completion_tokens":12[^]*data: \[DONE\]\n\n$/);
  }
  expect(await product.ended).toBe(0);
  expect(await product.charged()).toEqual(answers.map(() => PIECES));
}

/** The suite of one product. */
export function describeStop(name: string, start: StartProduct): void {
  describe(`SIGTERM to ${name}`, () => {
    it('at each moment of a stream, also before the end of its request, lets it end whole, and charges it', async () => {
      const signalled = signalOf();
      let [relayed, missing] = [0, AT_EACH * (MOMENTS.length + 1)];
      let stop = (): void => {};
      /** Waits until every stream and request is at its moment. Then the signal comes, and all go on. */
      const arrive = async (): Promise<void> => {
        if (--missing === 0) stop();
        await signalled.promise;
      };
      const begin = (): ((piece: number) => Promise<void> | void) => {
        const moment = MOMENTS[relayed++ % MOMENTS.length];
        return (piece) => (piece === moment ? arrive() : undefined);
      };
      await using runtime = await startRuntime(speak(begin));
      await using product = await start(runtime.url, LONG_S);
      stop = () => {
        product.child.kill('SIGTERM');
        signalled.resolve();
      };
      const whenHalf = async (): Promise<void> => {
        await arrive();
        await whenClosed(product.port);
      };
      const halves = Array.from({ length: AT_EACH }, () => askSlowly(product, whenHalf));
      const streams = Array.from({ length: AT_EACH * MOMENTS.length }, () => askSlowly(product, async () => {}));
      await expectWhole(product, await Promise.all([...halves, ...streams]));
    });

    it.each(Object.entries(LAST_MOMENTS))('%s lets a stream end whole, and charges it', async (_, moment) => {
      let stop = (): void => {};
      await using runtime = await startRuntime(speak(() => (piece) => void (piece === moment && stop())));
      await using product = await start(runtime.url, LONG_S);
      stop = () => {
        stop = () => {};
        product.child.kill('SIGTERM');
      };
      const answers = await Promise.all(Array.from({ length: CLIENTS }, () => askSlowly(product, async () => {})));
      stop();
      await expectWhole(product, answers);
    });

    it('ends what takes longer than the grace with an error, and refuses what is new with 503', async () => {
      const began = signalOf();
      await using runtime = await startRuntime((_, socket) => {
        const events = openEvents(socket);
        const timer = setInterval(() => events.token(), 5);
        socket.once('close', () => clearInterval(timer));
        began.resolve();
      });
      await using product = await start(runtime.url, 1);
      // A connection whose head is not whole yet stays open while the product drains.
      using late = openRaw(product.port);
      late.send(`POST ${product.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${product.key}\r\n`);
      const endless = askSlowly(product, async () => {});
      await began.promise;
      product.child.kill('SIGTERM');
      await whenClosed(product.port);
      late.send(`Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
      expect(await late.closed).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: \d+[^]*shutting_down/i);
      const { status, text, isBroken } = await endless;
      expect([status, isBroken]).toEqual([200, false]);
      expect(text).toMatch(/"content":" a"[^]*shutting_down[^]*\n\n$/);
      expect(await product.ended).toBe(0);
      // What came is charged.
      const charged = await product.charged();
      expect(charged).toHaveLength(1);
      expect(charged[0]).toBeGreaterThan(0);
      expect(runtime.asked).toHaveLength(1);
    });
  });
}
