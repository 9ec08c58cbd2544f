import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListenerStats } from '../../src/http/index.js';
import { swallowedByUws } from './swallowed-by-uws.js';
import { generatedCases, measuredCases } from '../http/hostile-corpus.js';
import { hasUws, openRaw, overTransports, start, until, type Answer, type RawClient } from '../http/over-transports.js';

const NUM_MUTATED = 100_000;
const NUM_IDLE = 5_000;
const NUM_DEAF = 500;

/** A listener in a process of its own. */
interface Served extends AsyncDisposable {
  readonly port: number;
  measure(): Promise<ListenerStats & { readonly rss: number }>;
}

async function serveApart(transport: string): Promise<Served> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./fixtures/http-child.js', import.meta.url)), [transport]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    measure: async () => {
      child.send('measure');
      const [measured] = (await once(child, 'message')) as [ListenerStats & { rss: number }];
      return measured;
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Looks every 100 ms until `is`; gives up after a minute. */
async function eventually(is: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 600; look++) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it did not come to be within a minute');
}

const ask = (port: number, path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;

/** The 99th percentile of the time of a small request, in ms: the least of three rounds of 400. */
async function quickP99(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const one = async (): Promise<number> => {
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      get({ agent, port, host: '127.0.0.1', path: '/quick' }, (response) => {
        response.resume().on('end', resolve);
      }).on('error', reject);
    });
    return performance.now() - began;
  };
  const rounds: number[] = [];
  for (let round = 0; round < 3; round++) {
    const times: number[] = [];
    for (let i = 0; i < 100; i++) times.push(...(await Promise.all([one(), one(), one(), one()])));
    rounds.push(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Infinity);
  }
  agent.destroy();
  return Math.min(...rounds);
}

overTransports('a listener with many clients', (transport) => {
  it(`holds ${NUM_IDLE} idle event streams in less than 60 KB each, and answers others as before`, async () => {
    await using served = await serveApart(transport);
    const before = await quickP99(served.port);
    const fresh = await served.measure();
    const clients: RawClient[] = [];
    for (let i = 0; i < NUM_IDLE; i += 100) {
      const some = Array.from({ length: 100 }, () => openRaw(served.port));
      for (const client of some) client.send(ask(served.port, '/idle'));
      await Promise.all(some.map((client) => client.until((text) => text.includes('hello'))));
      clients.push(...some);
    }
    const held = await served.measure();
    const perClient = (held.rss - fresh.rss) / NUM_IDLE;
    const during = await quickP99(served.port);
    console.log(
      `${transport}: ${(perClient / 1024).toFixed(1)} KB a stream; p99 ${before.toFixed(2)} → ${during.toFixed(2)} ms`,
    );
    expect(held.running).toBe(NUM_IDLE);
    expect(perClient).toBeLessThan(60 * 1024);
    expect(during).toBeLessThan(2 * before);
    for (const client of clients) client.socket.destroy();
    await eventually(async () => (await served.measure()).running === 0);
  });

  it(`pauses for ${NUM_DEAF} readers that never read, and answers others as before`, async () => {
    await using served = await serveApart(transport);
    const before = await quickP99(served.port);
    const fresh = await served.measure();
    const clients = Array.from({ length: NUM_DEAF }, () => openRaw(served.port));
    for (const client of clients) {
      client.socket.pause();
      client.send(ask(served.port, '/endless'));
    }
    // Full once all were served and no byte more was produced between two looks.
    let last = -1;
    await eventually(async () => {
      const { bytesOut, requests } = await served.measure();
      const isFull = requests >= fresh.requests + NUM_DEAF && bytesOut === last;
      last = bytesOut;
      return isFull;
    });
    const full = await served.measure();
    const during = await quickP99(served.port);
    const perReader = (full.rss - fresh.rss) / NUM_DEAF;
    console.log(
      `${transport}: ${(perReader / 1024).toFixed(0)} KB a deaf reader; p99 ${before.toFixed(2)} → ${during.toFixed(2)} ms`,
    );
    expect(perReader).toBeLessThan(256 * 1024);
    expect(during).toBeLessThan(2 * before);
    // Cut by us after 30 s, or by uWebSockets.js after 10.
    await eventually(async () => (await served.measure()).running === 0);
    for (const client of clients) client.socket.destroy();
  });
});

overTransports('a reader that was slow once', (transport) => {
  it('is not cut while it waits for a source that is silent for 15 s', async () => {
    const piece = 'x'.repeat(16_000);
    let produced = 0;
    let isSilent = false;
    const body = async function* (): AsyncIterable<string> {
      while (!isSilent) {
        produced++;
        yield piece;
      }
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      yield 'the last';
    };
    await using server = await start(transport, async () => ({ status: 200, body: body() }));
    using client = openRaw(server.port);
    client.socket.pause();
    client.send(ask(server.port, '/'));
    let last = -1;
    await eventually(async () => {
      const isFull = produced > 0 && produced === last;
      last = produced;
      return isFull;
    });
    isSilent = true;
    client.socket.resume();
    expect(await client.until((text) => text.includes('the last'))).toContain('200 OK');
  });
});

describe('mutated requests', () => {
  it(`of the corpus, ${NUM_MUTATED} of them, neither crash a listener nor leak, and have one reading`, async () => {
    const transports = hasUws ? (['node', 'uws'] as const) : (['node'] as const);
    const servers = await Promise.all(
      transports.map(async (transport) => {
        const served: string[] = [];
        const handler: Answer = async ({ method, path, body }) => {
          served.push(`${method} ${path} ${Buffer.from(body).toString('latin1')}`);
          return { status: 200, body: 'served' };
        };
        const server = await start(transport, handler, { log: () => {} });
        return { server, served };
      }),
    );
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const marks: number[] = [];
    const differing: unknown[] = [];
    let numServed = 0;
    const seeds = [...measuredCases, ...generatedCases].map(({ bytes }) => bytes.slice(0, 2_000));
    for (const [i, bytes] of fc.sample(mutated(seeds), { numRuns: NUM_MUTATED, seed: 7 }).entries()) {
      const readings: string[][] = [];
      for (const { server, served } of servers) {
        served.length = 0;
        using client = openRaw(server.port);
        const sent = bytes.replaceAll('{host}', `127.0.0.1:${server.port}`);
        // Every other one in two parts, since parsers have a second way for what does not come at once.
        const cut = i % 2 === 0 ? sent.length : (i * 7_919) % (sent.length + 1);
        client.send(sent.slice(0, cut));
        if (cut < sent.length) {
          await new Promise((resolve) => setImmediate(resolve));
          client.send(sent.slice(cut));
        }
        client.socket.end();
        await client.closed;
        readings.push([...served]);
      }
      const [node = [], uws = []] = readings;
      numServed += node.length;
      // What uws serves, node serves too, and reads in the same way.
      if (uws.some((line, at) => line !== node[at])) differing.push({ bytes, node, uws });
      if (i % (NUM_MUTATED / 4) === NUM_MUTATED / 4 - 1) {
        collect();
        marks.push(process.memoryUsage.rss());
      }
    }
    expect(differing).toEqual([]);
    expect(numServed).toBeGreaterThan(NUM_MUTATED / 100);
    const grown = (marks.at(-1) ?? 0) - (marks[1] ?? 0);
    console.log(`after each quarter: ${marks.map((rss) => (rss / 1e6).toFixed(0)).join(', ')} MB`);
    expect(grown).toBeLessThan(20e6);
    for (const { server } of servers) {
      await until(() => server.listener.stats().running === 0);
      expect(await (await fetch(`http://127.0.0.1:${server.port}/`)).text()).toBe('served');
      await server[Symbol.asyncDispose]();
    }
  });
});

/** A seed with one to four edits: bytes put in, taken out, replaced, doubled, or joined with another seed. */
function mutated(seeds: readonly string[]): fc.Arbitrary<string> {
  const seed = fc.constantFrom(...seeds);
  const byte = fc.oneof(
    fc.constantFrom('\r', '\n', '\r\n', ':', ' ', '\t', '\0', '0', '5', ',', ';', '/', '?', '#', '\x7f', '\xff'),
    fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  );
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const edit = fc.record({
    kind: fc.constantFrom('put', 'take', 'replace', 'double', 'join'),
    place,
    length: fc.integer({ min: 1, max: 12 }),
    byte,
    other: seed,
  });
  return fc.tuple(seed, fc.array(edit, { minLength: 1, maxLength: 4 })).map(([first, edits]) =>
    edits.reduce((text, { kind, place: where, length, byte: put, other }) => {
      const at = Math.floor(where * text.length);
      const [head, rest] = [text.slice(0, at), text.slice(at)];
      if (kind === 'put') return head + put + rest;
      if (kind === 'take') return head + rest.slice(length);
      if (kind === 'replace') return head + put + rest.slice(1);
      if (kind === 'double') return head + rest.slice(0, length) + rest;
      return head + other.slice(Math.floor(where * other.length));
    }, first),
  );
}

describe.runIf(hasUws)('what the parser of uWebSockets.js swallows', () => {
  it('is known by name, is never served, and ends with its idle timeout', async () => {
    let served = 0;
    await using server = await start('uws', async () => {
      served++;
      return { status: 200 };
    });
    const open = new Map<string, RawClient>();
    for (const { name, bytes, intended } of [...measuredCases, ...generatedCases]) {
      if (intended.length > 0) continue;
      const client = openRaw(server.port);
      client.send(bytes.replaceAll('{host}', `127.0.0.1:${server.port}`));
      void client.closed.then(() => open.delete(name));
      open.set(name, client);
    }
    // Two seconds: a refused body is waited for, for one second, before the answer.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const waiting = [...open].filter(([, client]) => client.text() === '').map(([name]) => name);
    const began = performance.now();
    await Promise.all([...open.values()].map(({ closed }) => closed));
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(served).toBe(0);
    expect(waiting).toEqual(swallowedByUws);
  });
});
