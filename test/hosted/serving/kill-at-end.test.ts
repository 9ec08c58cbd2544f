// A node that is killed the moment its client has an answer whole, over HTTP and with a process of its own: what the client has is
// charged. The provider never ends its answer, so that nothing comes behind the last piece.
import { rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Generation } from '../../../src/billing/index.js';
import { openSqlite, type Database } from '../../../src/database/index.js';
import { completion, startRuntime } from '../../gateway/serving/runtime.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';
import { preparePayer, startNode, withBilling, writeNodeFile } from './node-process.js';
import { providerAt } from './start-hosted.js';
import { makeHome } from '../../support/start-product.js';

/** How often each is killed: the moment between two system calls is not the same twice. */
const KILLS = 2;
const PRICE = { inputNano: 1_000n, outputNano: 2_000n };
const CREDIT_MICRO = 1_000_000n;
const PATHS = [
  { path: '/v1/chat/completions', dialect: 'chat-completions' },
  { path: '/v1/responses', dialect: 'responses' },
  { path: '/v1/messages', dialect: 'messages' },
  { path: '/v1/other', dialect: 'none' },
];

const STREAM_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const sized = (body: Uint8Array, fields = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${fields}Content-Length: ${body.length}\r\n\r\n`),
    body,
  ]);

const TOKEN = 'data: {"choices":[{"index":0,"delta":{"content":" a"},"finish_reason":null}]}\n\n';
const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}\n\n';
const DONE = 'data: [DONE]\n\n';
const EVENT = (data: object): string => `event: x\ndata: ${JSON.stringify(data)}\n\n`;

/** A way to answer: what the provider writes, one after the other, and how the client knows that it has all of it. */
interface Way {
  readonly path: string;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What the last piece ends with, as the client reads it; absent: the answer has a length, and is over. */
  readonly last?: string;
  readonly charged: Partial<Generation>;
}

const told = { state: 'settled', promptTokens: 9, completionTokens: 4, isEstimated: false, costMicro: 17n } as const;

const ways: Readonly<Record<string, Way>> = {
  'a stream, with its event of usage': {
    path: '/v1/chat/completions',
    pieces: [STREAM_HEAD, chunked(TOKEN), chunked(FINISH), chunked(USAGE)],
    last: USAGE,
    charged: told,
  },
  'a stream, with the line that ends it': {
    path: '/v1/chat/completions',
    pieces: [STREAM_HEAD, chunked(TOKEN), chunked(USAGE + DONE)],
    last: DONE,
    charged: told,
  },
  'a stream that tells no usage': {
    path: '/v1/chat/completions',
    pieces: [STREAM_HEAD, chunked(TOKEN), chunked(TOKEN), chunked(FINISH), chunked(DONE)],
    last: DONE,
    charged: { state: 'settled', completionTokens: 2, isEstimated: true },
  },
  'a stream of responses': {
    path: '/v1/responses',
    pieces: [
      STREAM_HEAD,
      chunked(EVENT({ type: 'response.output_text.delta', delta: ' a' })),
      chunked(EVENT({ type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 4 } } })),
    ],
    last: '"output_tokens":4}}}\n\n',
    charged: told,
  },
  'a stream of messages': {
    path: '/v1/messages',
    pieces: [
      STREAM_HEAD,
      chunked(EVENT({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } })),
      chunked(EVENT({ type: 'message_delta', usage: { output_tokens: 4 } })),
      chunked(EVENT({ type: 'message_stop' })),
    ],
    last: '"message_stop"}\n\n',
    charged: told,
  },
  'a whole answer with a length': {
    path: '/v1/chat/completions',
    pieces: [sized(Buffer.from(completion(9, 4)))],
    charged: told,
  },
  'a whole answer with a length, compressed': {
    path: '/v1/chat/completions',
    pieces: [sized(gzipSync(completion(9, 4)), 'Content-Encoding: gzip\r\n')],
    charged: told,
  },
  'a whole answer in chunks': {
    path: '/v1/chat/completions',
    pieces: [JSON_HEAD, chunked(completion(9, 4).slice(0, 40)), chunked(completion(9, 4).slice(40))],
    last: '"total_tokens":13}}',
    charged: told,
  },
  'an answer that is not read': {
    path: '/v1/other',
    pieces: [sized(Buffer.from('{"some":"thing"}'))],
    charged: { state: 'settled', completionTokens: 0, isEstimated: true },
  },
};

/** Asks a node, and calls `kill` in the turn in which the last of the answer came. */
function askAndKill(port: number, secret: string, { path, last }: Way, kill: () => void): Promise<string> {
  const body = JSON.stringify({
    model: 'demo',
    ...(last !== undefined && { stream: true, stream_options: { include_usage: true } }),
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const headers = { authorization: `Bearer ${secret}`, 'content-length': String(body.length) };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: `/up${path}`, headers }, (answer) => {
      const length = Number(answer.headers['content-length'] ?? Infinity);
      let [text, size] = ['', 0];
      answer.on('data', (piece: Buffer) => {
        text += piece.toString();
        size += piece.length;
        if (last === undefined ? size < length : !text.endsWith(last)) return;
        kill();
        resolve(String(answer.headers['x-generation-id']));
      });
      answer.on('error', () => {});
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Runs one node after the other on one database, and kills each; what was charged in the end. */
async function killOnce(
  way: Way,
  parts: { readonly database: unknown; readonly env: Readonly<Record<string, string>> },
  open: (home: string) => Promise<Database>,
  beforeLast?: () => Promise<void>,
  beforeLook?: () => Promise<void>,
): Promise<void> {
  const home = makeHome();
  let isAtLast = async (): Promise<void> => {};
  await using provider = await startRuntime(async (_, socket) => {
    for (const [i, piece] of way.pieces.entries()) {
      if (i === way.pieces.length - 1) await isAtLast();
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  try {
    const path = writeNodeFile(home, 0, {
      database: parts.database,
      providers: [providerAt(provider.url, { paths: PATHS })],
    });
    const openBooks = (): Promise<Database> => open(home);
    const { accountId, secret } = await withBilling(home, openBooks, (billing) =>
      preparePayer(billing, CREDIT_MICRO, PRICE),
    );
    let spent = 0n;
    for (let turn = 0; turn < KILLS; turn++) {
      const node = await startNode(path, parts.env);
      isAtLast = beforeLast ?? isAtLast;
      const id = await askAndKill(node.port, secret, way, () => node.child.kill('SIGKILL'));
      await node.ended;
      await beforeLook?.();
      await withBilling(home, openBooks, async (billing) => {
        await billing.tick();
        const generation = await billing.requests.generation(accountId, id);
        expect(generation, `kill ${turn}`).toMatchObject(way.charged);
        expect(generation.costMicro).toBeGreaterThan(0n);
        spent += generation.costMicro;
        const { availableMicro, heldMicro } = await billing.accounts.get(accountId);
        expect([availableMicro, heldMicro]).toEqual([CREDIT_MICRO - spent, 0n]);
        expect((await billing.ledger.verify()).faults).toEqual([]);
      });
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

describe('a node that is killed as its client has an answer whole has charged it', () => {
  for (const [name, way] of Object.entries(ways)) {
    it(`on SQLite: ${name}`, { timeout: 120_000 }, () =>
      killOnce(way, { database: 'sqlite', env: {} }, (home) => openSqlite({ path: join(home, 'data-0', 'hosted.db') })),
    );
  }
});

describe.skipIf(noPostgres !== undefined)('and so on PostgreSQL', () => {
  const databases = postgresDatabases(true);
  afterAll(() => databases.close());
  const { 'a stream, with its event of usage': stream, 'a whole answer with a length': sizedAnswer } = ways;
  const partsOf = (url: string) => ({
    database: { postgres: { url: { env: 'DATABASE_URL' } } },
    env: { DATABASE_URL: url },
  });

  for (const [name, way] of Object.entries({ stream, sizedAnswer })) {
    it(`that is there: ${name}`, { timeout: 120_000 }, async () => {
      const url = await databases.freshUrl();
      if (way !== undefined) await killOnce(way, partsOf(url), () => databases.open(url));
    });

    it(`that is away as the answer ends, by its outbox: ${name}`, { timeout: 120_000 }, async () => {
      const url = await databases.freshUrl();
      const server = await databases.server();
      if (way === undefined) return;
      await killOnce(
        way,
        partsOf(url),
        () => databases.open(url),
        () => server.halt('fast'),
        () => server.start(),
      );
    });
  }
});
