// What suites over both transports share: which can run here, a listener on a free port, a client that speaks raw bytes.
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe } from 'vitest';
import { createKindOf } from '../../src/base/index.js';
import { codeTables } from '../repo/code-tables.js';
import {
  createRouter,
  listen,
  readBody,
  type Handler,
  type HttpEvent,
  type HttpRequest,
  type HttpResponse,
  type Listener,
  type ListenOptions,
  type PathRoute,
} from '../../src/http/index.js';
import { loadUws } from '../../src/http/uws-module.js';
import { createErrorFormat } from '../../src/endpoint/index.js';

/** Where `npm ci` in test/uws puts it. */
export const uwsDirectory = join(process.cwd(), 'test/uws/node_modules/uWebSockets.js');

/** Why the uws transport cannot run here; undefined: it can. */
export const whyNoUws = await loadUws(uwsDirectory).then(
  () => undefined,
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
);

/** Runs a suite once for each transport; the one that cannot run here is skipped, with the reason in its name. */
export function overTransports(what: string, suite: (transport: 'node' | 'uws') => void): void {
  describe(`${what}, over node`, () => suite('node'));
  if (whyNoUws === undefined) describe(`${what}, over uws`, () => suite('uws'));
  else describe.skip(`${what}, over uws (skipped: ${whyNoUws})`, () => suite('uws'));
}

/** Whether the uws transport can run here. */
export const hasUws = whyNoUws === undefined;

/** A listener and what it logged. */
export interface Started extends AsyncDisposable {
  readonly listener: Listener;
  readonly port: number;
  readonly events: readonly HttpEvent[];
}

/** What most tests answer with: requests whose body was read whole. */
export type Answer = (request: HttpRequest) => Promise<HttpResponse>;

/** How the engine's server answers errors of the listener. */
export const { toErrorResponse } = createErrorFormat(createKindOf(Object.values(codeTables)));

/** Listens on a free port of 127.0.0.1, and reads every body whole. */
export function start(
  transport: 'node' | 'uws',
  answer: Answer,
  options: Partial<ListenOptions> = {},
): Promise<Started> {
  return startDeciding(transport, () => readBody(answer), options);
}

/** A handler of routes whose bodies are read whole; what is not found goes to `otherwise`, OPTIONS get their methods. */
export function routed(routes: readonly PathRoute<Answer>[], otherwise: Answer): Answer {
  const find = createRouter(routes);
  return async (request) => {
    const found = find(request.method, request.path);
    if (found === undefined) return otherwise(request);
    if ('target' in found) return found.target(request);
    return request.method === 'OPTIONS' ? { status: 204, headers: { allow: found.allow } } : otherwise(request);
  };
}

/** Listens on a free port of 127.0.0.1 with a handler that sees heads first. */
export async function startDeciding(
  transport: 'node' | 'uws',
  handler: Handler,
  options: Partial<ListenOptions> = {},
): Promise<Started> {
  const events: HttpEvent[] = [];
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    transport,
    handler,
    toErrorResponse,
    uwsDirectory,
    log: (event) => events.push(event),
    ...options,
  });
  return { listener, port: listener.port, events, [Symbol.asyncDispose]: () => listener.drain(0) };
}

/** A connection of raw bytes. */
export interface RawClient extends Disposable {
  readonly socket: Socket;
  /** Everything received, as latin1. */
  text(): string;
  send(bytes: string | Uint8Array): void;
  /** Resolves with what was received, once it satisfies `is`; rejects when the connection ends before. */
  until(is: (text: string) => boolean): Promise<string>;
  /** Resolves with everything, when the connection is closed. */
  readonly closed: Promise<string>;
}

/** Connects; strings are sent as latin1, so that each character is a byte. */
export function openRaw(port: number): RawClient {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  let look = (): void => {};
  let isClosed = false;
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    look();
  });
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => {
      isClosed = true;
      resolve(received);
      look();
    });
  });
  return {
    socket,
    closed,
    text: () => received,
    send: (bytes) => {
      if (!socket.destroyed) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    },
    until: (is) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (is(received)) resolve(received);
          else if (isClosed) reject(new Error(`closed after ${JSON.stringify(received)}`));
        };
        look();
      }),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** Sends `bytes` on a new connection and waits until the server closes it. */
export async function sendUntilClosed(port: number, bytes: string | Uint8Array): Promise<string> {
  using client = openRaw(port);
  client.send(bytes);
  return await client.closed;
}

/** A promise and how to settle it: what a test waits for instead of sleeping. */
export function signalOf<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve = (_value: T): void => {};
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Turns of the event loop in which `until` looks; then it looks each millisecond, or waiting would keep a core busy. */
const TURNS = 200;

/** Waits until `is`. */
export async function until(is: () => boolean): Promise<void> {
  for (let turn = 0; !is(); turn++) await (turn < TURNS ? nextTurn() : sleep(1));
}
