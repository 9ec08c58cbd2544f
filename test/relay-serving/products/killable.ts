// Products in processes of their own that are killed while an answer ends, and their books, which a test opens when no process
// has them.
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openSqlite, type Database } from '../../../src/database/index.js';
import { openMeter } from '../../../src/metering/index.js';
import { startRuntime } from '../../gateway/serving/runtime.js';
import { makeKey, modelOf, runtimeAt } from '../../gateway/serving/start-gateway.js';
import { preparePayer, startNode, withBilling, writeNodeFile } from '../../hosted/serving/node-process.js';
import { providerAt } from '../../hosted/serving/start-hosted.js';
import { startProductProcess, type ProductProcess } from '../../support/product-process.js';
import { makeHome } from '../../support/start-product.js';
import { askAndKill, playWay, type Charged, type KillWay } from './kill-ways.js';

/** A product in a home before one upstream. */
export interface Killable {
  readonly secret: string;
  /** What stands before the paths of the upstream. */
  readonly before: string;
  start(): Promise<ProductProcess>;
  /** Expects that the last request, whose answer had these headers, is charged so, once, and that the books hold nothing. */
  look(headers: IncomingHttpHeaders, charged: Charged): Promise<void>;
}

/** A kind of product. */
export type KillableKind = (home: string, url: string) => Promise<Killable>;

/** A way to end a product. */
export interface KillOptions {
  /** How often it is killed: the moment between two system calls is not the same twice. Default: once. */
  readonly kills?: number;
  readonly beforeLast?: () => Promise<void>;
  readonly beforeLook?: () => Promise<void>;
}

/** Kills a product as a way ends, one process after the other on the same data, and expects what is charged. */
export async function killAtEnd(
  kind: KillableKind,
  way: KillWay,
  { kills = 1, beforeLast, beforeLook }: KillOptions = {},
): Promise<void> {
  const home = makeHome();
  let isAtLast = async (): Promise<void> => {};
  await using upstream = await startRuntime(playWay(way, () => isAtLast()));
  try {
    const product = await kind(home, upstream.url);
    for (let kill = 0; kill < kills; kill++) {
      const child = await product.start();
      isAtLast = beforeLast ?? isAtLast;
      const headers = await askAndKill(child, product.secret, way, product.before);
      await beforeLook?.();
      await product.look(headers, way.charged);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * The gateway. The client has the last piece before its usage is stored: a request whose process is killed in between is charged
 * when the books are opened, as an estimate of no fewer tokens than came.
 */
export const killableGateway: KillableKind = async (home, url) => {
  const path = join(home, 'gateway.yaml');
  const key = makeKey('vk_a', { limits: { budget: { tokens: 10 ** 9, window: 'total' } } });
  const file = {
    gateway_id: 'gw_test',
    listen: '127.0.0.1:0',
    data_dir: './data',
    runtimes: [runtimeAt(url, { kind: 'vllm' })],
    models: [modelOf()],
    passthrough: ['/v1/other'],
    virtual_keys: [key.entry],
  };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const program = join(import.meta.dirname, '../../gateway/serving/fixtures/gateway-process.js');
  const sums = { requests: 0, estimated: 0, prompt: 0, completion: 0 };
  return {
    secret: key.secret,
    before: '',
    start: () => startProductProcess(program, [path]),
    async look(_, { promptTokens: prompt = 0, completionTokens: least, isEstimated }) {
      const directory = join(home, 'data');
      await using meter = await openMeter({ directory, log: () => {}, retention: { requestDays: 1, auditDays: 1 } });
      const { settled, voided } = meter.recovered;
      expect([settled <= 1, voided]).toEqual([true, 0]);
      const [usage] = meter.usage({ by: 'key' });
      expect(usage?.requests).toBe(sums.requests + 1);
      const { promptTokens = 0, completionTokens = 0, estimatedRequests = 0 } = usage ?? {};
      const charged = { prompt: promptTokens - sums.prompt, completion: completionTokens - sums.completion };
      expect(estimatedRequests - sums.estimated).toBe(settled === 1 || isEstimated ? 1 : 0);
      expect(charged.completion).toBeGreaterThanOrEqual(least);
      if (settled === 0 && !isEstimated) expect(charged).toEqual({ prompt, completion: least });
      sums.requests++;
      [sums.estimated, sums.prompt, sums.completion] = [estimatedRequests, promptTokens, completionTokens];
    },
  };
};

/** Where a node of the hosted API has its books. */
export interface KilledBooks {
  readonly database: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly open: (home: string) => Promise<Database>;
}

const PRICE = { inputNano: 1_000n, outputNano: 2_000n };
const CREDIT_MICRO = 1_000_000n;
const PATHS = [
  { path: '/v1/chat/completions', dialect: 'chat-completions' },
  { path: '/v1/responses', dialect: 'responses' },
  { path: '/v1/messages', dialect: 'messages' },
  { path: '/v1/other', dialect: 'none' },
];

/** A node of the hosted API on such books. */
export function killableNode({ database, env, open }: KilledBooks): KillableKind {
  return async (home, url) => {
    const path = writeNodeFile(home, 0, { database, providers: [providerAt(url, { paths: PATHS })] });
    const openBooks = (): Promise<Database> => open(home);
    const { accountId, secret } = await withBilling(home, openBooks, (billing) =>
      preparePayer(billing, CREDIT_MICRO, PRICE),
    );
    let spent = 0n;
    return {
      secret,
      before: '/up',
      start: () => startNode(path, env),
      look: (headers, charged) =>
        withBilling(home, openBooks, async (billing) => {
          await billing.tick();
          const generation = await billing.requests.generation(accountId, String(headers['x-generation-id']));
          const { costMicro, promptTokens, completionTokens } = generation;
          expect(generation).toMatchObject({ state: 'settled', ...charged });
          // A token of the prompt costs a micro-unit, one of the completion two.
          if (!generation.isEstimated) expect(costMicro).toBe(BigInt(promptTokens) + 2n * BigInt(completionTokens));
          expect(costMicro).toBeGreaterThan(0n);
          spent += costMicro;
          const { availableMicro, heldMicro } = await billing.accounts.get(accountId);
          expect([availableMicro, heldMicro]).toEqual([CREDIT_MICRO - spent, 0n]);
          expect((await billing.ledger.verify()).faults).toEqual([]);
        }),
    };
  };
}

/** On SQLite. */
export const killableNodeOnSqlite = killableNode({
  database: 'sqlite',
  env: {},
  open: (home) => openSqlite({ path: join(home, 'data-0', 'hosted.db') }),
});
