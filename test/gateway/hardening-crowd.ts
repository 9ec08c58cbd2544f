// Clients that are slow on purpose, and an honest one beside them.
import { openRaw, type RawClient } from '../http/over-transports.js';
import { chat, chatBody, keyHeaders } from './hardening-gateway.js';

/** Where a gateway is, and a key of it. */
export interface Entrance {
  readonly port: number;
  readonly key: string;
}

/** Attackers at work. */
export interface Crowd extends Disposable {
  /**
   * Resolves when the gateway has ended all connections of slow heads and bodies. Readers do not see their end before they
   * have read megabytes: the runtime that answers them does.
   */
  readonly cut: Promise<unknown>;
}

/** A head that never ends: a byte every `everyMs`. */
function slowHead({ port }: Entrance, everyMs: number): RawClient {
  const client = openRaw(port);
  client.send(`POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-A: `);
  drip(client, everyMs);
  return client;
}

/** A body that never ends, of one who has a key. */
function slowBody({ port, key }: Entrance, everyMs: number): RawClient {
  const client = openRaw(port);
  client.send(`${headOf(port, key, 1_000_000)}{"model":"`);
  drip(client, everyMs);
  return client;
}

/** One who asks for an endless answer and reads nothing of it. */
function slowReader({ port, key }: Entrance): RawClient {
  const client = openRaw(port);
  client.socket.pause();
  const body = chatBody('endless', { stream: true });
  client.send(headOf(port, key, body.length) + body);
  return client;
}

function headOf(port: number, key: string, length: number): string {
  const fields = Object.entries(keyHeaders(key)).map(([name, value]) => `${name}: ${value}`);
  return [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    ...fields,
    `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n');
}

function drip(client: RawClient, everyMs: number): void {
  const timer = setInterval(() => client.send('x'), everyMs);
  client.socket.once('close', () => clearInterval(timer));
}

/** What attackers there are. */
export interface CrowdOptions {
  readonly heads: number;
  readonly bodies: number;
  readonly readers: number;
  /** Between two bytes of those that send. */
  readonly everyMs: number;
}

/** Starts a crowd. */
export function startCrowd(entrance: Entrance, options: CrowdOptions): Crowd {
  const { everyMs } = options;
  const heads = Array.from({ length: options.heads }, () => slowHead(entrance, everyMs));
  const bodies = Array.from({ length: options.bodies }, () => slowBody(entrance, everyMs));
  const clients = [...heads, ...bodies];
  const readers = Array.from({ length: options.readers }, () => slowReader(entrance));
  return {
    cut: Promise.all(clients.map(({ closed }) => closed)),
    [Symbol.dispose]() {
      for (const { socket } of [...clients, ...readers]) socket.destroy();
    },
  };
}

/** How long an honest client waits, ms: the 99th of `count` in 100, one after the other. Rejects where one is not served. */
export async function honestP99(entrance: Entrance, count: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startMs = performance.now();
    const answer = await chat(entrance, 'good');
    await answer.text();
    if (answer.status !== 200) throw new Error(`an honest client got ${answer.status}`);
    times.push(performance.now() - startMs);
  }
  return times.toSorted((a, b) => a - b)[Math.ceil(count * 0.99) - 1] ?? Infinity;
}
