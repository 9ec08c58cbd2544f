// A client that costs little: raw sockets, kept open, one request at a time on each. Forked; takes a `Load`, answers a
// `LoadResult`.

import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** What is sent. */
export interface Load {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  /** Further header fields. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly connections: number;
  readonly durationMs: number;
  /** Requests a second over all connections; absent: as many as are answered. */
  readonly rate?: number;
  /** Events of each answer; absent: whole answers. */
  readonly stream?: { readonly chunks: number; readonly everyMs: number; readonly once: boolean };
}

/** What came back. Times in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly firstByteP50: number;
  readonly firstByteP99: number;
  /** Different SHA-256 sums of the bodies that came. */
  readonly sums: number;
}

class Connection {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #done: ((ok: boolean) => void) | undefined;
  #first = 0;
  #text = '';
  #size = 0;
  sum = '';

  constructor(socket: Socket, request: Buffer) {
    this.#socket = socket;
    this.#request = request;
    socket.on('data', (piece) => this.#take(piece));
    socket.on('error', () => this.#end(false));
    socket.on('close', () => this.#end(false));
  }

  get firstMs(): number {
    return this.#first;
  }

  ask(): Promise<boolean> {
    this.#first = 0;
    this.#text = '';
    this.#size = -1;
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#socket.write(this.#request);
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    if (this.#first === 0) this.#first = performance.now();
    this.#text += piece.toString('latin1');
    if (this.#size === -1) {
      const end = this.#text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#text)?.[1];
      this.#size = length === undefined ? 0 : end + 4 + Number(length);
    }
    const isOver = this.#size > 0 ? this.#text.length >= this.#size : this.#text.endsWith('0\r\n\r\n');
    if (isOver) this.#end(this.#text.startsWith('HTTP/1.1 200'));
  }

  #end(ok: boolean): void {
    const done = this.#done;
    this.#done = undefined;
    if (ok && this.#size <= 0) this.sum = createHash('sha256').update(bodyOf(this.#text)).digest('hex');
    done?.(ok);
  }
}

/** The body without its chunks' sizes. */
function bodyOf(text: string): string {
  let at = text.indexOf('\r\n\r\n') + 4;
  let body = '';
  for (;;) {
    const end = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, end), 16);
    if (!(size > 0)) return body;
    body += text.slice(end + 2, end + 2 + size);
    at = end + 4 + size;
  }
}

async function open(port: number, request: Buffer): Promise<Connection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return new Connection(socket, request);
}

function requestOf({ port, path, key, fields = {}, stream }: Load): Buffer {
  const further = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  // In the text, since some gateways drop fields that they do not know.
  const wish = stream === undefined ? '' : ` chunks=${stream.chunks} everyMs=${stream.everyMs}`;
  const more = stream === undefined ? {} : { stream: true };
  const messages = [{ role: 'user', content: `What is the capital of Norway, and how many people live there?${wish}` }];
  const body = JSON.stringify({ model: 'bench', messages, ...more });
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\nauthorization: Bearer ${key}\r\n${further.join('')}content-length: ${body.length}\r\n\r\n`;
  return Buffer.from(head + body);
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

async function run(load: Load): Promise<LoadResult> {
  const { port, connections, durationMs, rate, stream } = load;
  const request = requestOf(load);
  const times: number[] = [];
  const firsts: number[] = [];
  const sums = new Set<string>();
  let failed = 0;
  const opened: Connection[] = [];
  // In groups, so that the queue of a listener is never full.
  for (let i = 0; i < connections; i += 200) {
    const group = Array.from({ length: Math.min(200, connections - i) }, () => open(port, request));
    opened.push(...(await Promise.all(group)));
  }
  const startMs = performance.now();
  const one = async (connection: Connection, dueMs = performance.now()): Promise<void> => {
    const ok = await connection.ask();
    const endMs = performance.now();
    if (!ok) failed++;
    times.push(endMs - dueMs);
    firsts.push(connection.firstMs - dueMs);
    if (connection.sum !== '') sums.add(connection.sum);
  };
  const loop = async (connection: Connection, index: number): Promise<void> => {
    if (stream?.once === true) return one(connection);
    for (let turn = 0; ; turn++) {
      // Requests come when they are due, and not when the one before was answered: a late one counts as late.
      const dueMs = rate === undefined ? performance.now() : startMs + ((turn * connections + index) * 1000) / rate;
      if (dueMs - startMs > durationMs) return undefined;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await setTimeout(waitMs);
      // A timer may come early.
      await one(connection, waitMs > 0 ? performance.now() : dueMs);
    }
  };
  await Promise.all(opened.map(loop));
  const seconds = (performance.now() - startMs) / 1000;
  for (const connection of opened) connection.destroy();
  times.sort((a, b) => a - b);
  firsts.sort((a, b) => a - b);
  return {
    requests: times.length,
    failed,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    firstByteP50: quantile(firsts, 0.5),
    firstByteP99: quantile(firsts, 0.99),
    sums: sums.size,
  };
}

process.on('message', (load: Load) => void run(load).then((result) => process.send?.(result)));
