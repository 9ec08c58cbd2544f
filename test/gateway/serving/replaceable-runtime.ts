// Runtimes that are replaced by another server at the same port, between two probes of a gateway.
import { Agent, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { identifyUrl } from '../../../src/gateway/discovery/identify.js';
import { ask } from '../../relay/raw-upstream.js';
import { completion } from './runtime.js';
import { chat, makeKey, runtimeAt, startGateway } from './start-gateway.js';
import { chatBody, SOON } from '../../support/start-product.js';

const key = makeKey();

/** How a runtime of these tests behaves. */
export interface Served {
  /** What its Server header names. */
  readonly name: string;
  /** A POST is answered when this resolves. */
  readonly answersAt?: () => Promise<void>;
  /** One connection at a time, as simple servers do; later ones wait. */
  readonly isOneByOne?: boolean;
}

/** A runtime at a port, which counts the prompts that it gets. */
export class ReplaceableRuntime {
  readonly #server: Server;
  prompts = 0;
  gets = 0;

  constructor({ name, answersAt, isOneByOne = false }: Served) {
    this.#server = createServer((request, response) => {
      response.setHeader('server', name);
      response.setHeader('content-type', 'application/json');
      if (isOneByOne) response.setHeader('connection', 'close');
      if (request.method === 'POST') {
        this.prompts++;
        void (answersAt?.() ?? Promise.resolve()).then(() => response.end(completion(3, 2)));
        return;
      }
      this.gets++;
      if (request.url === '/v1/models') response.end('{"object":"list","data":[{"id":"up","object":"model"}]}');
      else response.writeHead(404).end('{}');
    });
    this.#server.keepAliveTimeout = 60_000;
    if (isOneByOne) serveOneByOne(this.#server);
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends as a process that is killed does. */
  async die(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Hands a connection to the server only when the one before is closed. */
function serveOneByOne(server: Server): void {
  const [onConnection] = server.listeners('connection') as ((...args: unknown[]) => void)[];
  server.removeAllListeners('connection');
  let before = Promise.resolve();
  server.on('connection', (socket) => {
    before = before.then(() => {
      onConnection?.call(server, socket);
      return new Promise<void>((resolve) => socket.once('close', () => resolve()));
    });
  });
}

/** What a gateway remembers of the runtime at `port`. */
export const fingerprintOf = async (port: number): Promise<string> => {
  const found = await identifyUrl(`http://127.0.0.1:${port}`, {});
  return 'fingerprint' in found ? found.fingerprint : '';
};

/** Replaces a runtime by another server, sends it prompts, and puts it back, `count` times. The other one gets none. */
export async function replaceRuntime(count: number): Promise<void> {
  let held: Promise<void> = Promise.resolve();
  const approved = { name: 'approved', answersAt: () => held };
  let own = new ReplaceableRuntime(approved);
  const port = await own.listen();
  const parts = {
    runtimes: [runtimeAt(`http://127.0.0.1:${port}`, { fingerprint: await fingerprintOf(port) })],
    virtual_keys: [key.entry],
  };
  await using gateway = await startGateway(parts, { probeMs: 25 });
  let refused = 0;
  for (let attempt = 0; attempt < count; attempt++) {
    // Connections that are open and idle, one that is busy, or none that was used.
    const way = attempt % 3;
    let release = (): void => {};
    const busy: Promise<unknown>[] = [];
    if (way === 1) expect((await chat(gateway, key)).status).toBe(200);
    if (way === 2) {
      held = new Promise((resolve) => (release = resolve));
      busy.push(chat(gateway, key));
      await expect.poll(() => own.prompts, SOON).toBeGreaterThan(0);
    }
    await own.die();
    const other = new ReplaceableRuntime({ name: 'other' });
    await other.listen(port);
    const got = await Promise.all([chat(gateway, key), chat(gateway, key)]);
    release();
    held = Promise.resolve();
    await Promise.all(busy);
    expect([attempt, other.prompts]).toEqual([attempt, 0]);
    for (const answer of got) if (answer.status >= 500) refused++;
    await other.die();
    own = new ReplaceableRuntime(approved);
    await own.listen(port);
    const agent = new Agent();
    await expect
      .poll(
        async () => (await ask(gateway.port, 'POST', '/v1/chat/completions', chatBody(), agent, key.headers)).status,
        {
          timeout: 120_000,
          interval: 5,
        },
      )
      .toBe(200);
    own.prompts = 0;
  }
  expect(refused).toBe(2 * count);
  await own.die();
}
