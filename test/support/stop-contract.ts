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
/** When the signal comes, by the piece of the answer that the upstream says next. */
const MOMENTS = {
  'before the end of the request': -2,
  'before the upstream says anything': -1,
  'at the first event': 0,
  'after the first event': 1,
  'in the middle': PIECES / 2,
  'at the last event': PIECES - 1,
  'when all but the end was said': PIECES,
  'when the client has all of it': Infinity,
};
/** Requests at once. */
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

/** A stream of `PIECES` tokens; `at` is called before each of its steps. */
function speak(at: (piece: number) => void): Play {
  return async (_, socket) => {
    at(-1);
    await sleep(20);
    const events = openEvents(socket);
    for (let piece = 0; piece <= PIECES; piece++) {
      at(piece);
      if (piece < PIECES) events.token();
      await sleep(5);
    }
    events.usage(3, PIECES);
    events.end();
  };
}

/** The suite of one product. */
export function describeStop(name: string, start: StartProduct): void {
  describe(`SIGTERM to ${name}`, () => {
    it.each(Object.entries(MOMENTS))('%s lets a stream end whole, and charges it', async (_, moment) => {
      let stop = (): void => {};
      await using runtime = await startRuntime(speak((piece) => void (piece === moment && stop())));
      await using product = await start(runtime.url, LONG_S);
      stop = () => {
        stop = () => {};
        product.child.kill('SIGTERM');
      };
      let asked = 0;
      const whenAsked = async (): Promise<void> => {
        if (moment !== MOMENTS['before the end of the request']) return;
        if (++asked === CLIENTS) stop();
        await whenClosed(product.port);
      };
      const answers = await Promise.all(Array.from({ length: CLIENTS }, () => askSlowly(product, whenAsked)));
      if (moment === MOMENTS['when the client has all of it']) stop();
      for (const { status, text, isBroken } of answers) {
        expect([status, isBroken]).toEqual([200, false]);
        expect(text.match(/"content":" a"/g)).toHaveLength(PIECES);
        expect(text).toMatch(/"completion_tokens":12[^]*data: \[DONE\]\n\n$/);
      }
      expect(await product.ended).toBe(0);
      expect(await product.charged()).toEqual(Array.from({ length: CLIENTS }, () => PIECES));
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
