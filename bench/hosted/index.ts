// node dist/bench/hosted/index.js [--nodes N] [--postgres] [--seconds N] [--rounds N] [--transport node|uws]: a model server that
// costs nothing, asked directly and through nodes of the hosted API, each request held, relayed, settled and in the ledger.
// Without --postgres one node on SQLite. JSON lines; at the end the books are held against what was sent.

import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemClock, unixMs } from '../../src/base/index.js';
import { parseHostedConfig, openService } from '../../src/hosted/index.js';
import { startPostgres } from '../../test/support/postgres.js';
import type { Load, LoadResult } from '../gateway/load.js';
import { median, significant } from '../record/statistics.js';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '2' },
    postgres: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    transport: { type: 'string', default: 'node' },
  },
});

const gatewayFile = (file: string): string => fileURLToPath(new URL(`../gateway/${file}`, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'hosted-bench-'));
const children: ChildProcess[] = [];
const SECRET = '0123456789abcdef0123456789abcdef';
const PATH = '/bench/v1/chat/completions';
/** Connections of clients to all nodes together. */
const CONNECTIONS = 64;

async function start(file: string, args: readonly string[], env: object = {}): Promise<number> {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(text.toString());
}

const postgres = values.postgres ? await startPostgres({ isDurable: true }) : undefined;
const env = { SECRET, DATABASE_URL: (await postgres?.createDatabase('bench')) ?? '' };
const upstream = await start(gatewayFile('upstream.js'), []);
const files = Array.from({ length: postgres === undefined ? 1 : Number(values.nodes) }, (_, i) => {
  const path = join(scratch, `hosted-${i}.yaml`);
  mkdirSync(join(scratch, `data-${i}`));
  const file = {
    listen: { port: 0, transport: values.transport },
    data_dir: `./data-${i}`,
    secret: { env: 'SECRET' },
    database: postgres === undefined ? 'sqlite' : { postgres: { url: { env: 'DATABASE_URL' } } },
    providers: [{ id: 'bench', base_url: `http://127.0.0.1:${upstream}` }],
  };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  return path;
});

/** What a command would do: an account with money, a key, a price. */
async function withService<T>(work: (service: Awaited<ReturnType<typeof openService>>) => Promise<T>): Promise<T> {
  const [path = ''] = files;
  const { config } = parseHostedConfig(await import('node:fs/promises').then((fs) => fs.readFile(path, 'utf8')), path);
  const readSecret = async (source: { readonly from: string; readonly name?: string }): Promise<string> =>
    Reflect.get(env, source.name ?? '') as string;
  await using service = await openService(config, { readSecret, clock: systemClock, now: unixMs, log: () => {} });
  return await work(service);
}

const { accountId, key } = await withService(async ({ billing }) => {
  const account = await billing.accounts.create({ name: 'bench', currency: 'USD' }, 'bench');
  await billing.accounts.credit(account.id, { amountMicro: 10n ** 15n, reference: 'first' }, 'bench');
  const { secret } = await billing.keys.create(
    account.id,
    { name: 'a', limits: { budgets: [], models: null } },
    'bench',
  );
  const nano = {
    inputNano: 1_000n,
    cachedInputNano: 100n,
    outputNano: 2_000n,
    requestNano: 0n,
    imageNano: 0n,
    audioNano: 0n,
  };
  await billing.prices.add(
    [{ provider: 'bench', model: 'bench', effectiveFromMs: 0, currency: 'USD', ...nano }],
    'bench',
  );
  return { accountId: account.id, key: secret };
});

const serve = fileURLToPath(new URL('serve.js', import.meta.url));
const ports = await Promise.all(files.map((file) => start(serve, [file], env)));
const clients = ports.map(() => fork(gatewayFile('load.js')));
children.push(...clients);

async function ask(
  targets: readonly number[],
  path: string,
  load: Omit<Load, 'port' | 'path' | 'key'>,
): Promise<LoadResult> {
  const results = await Promise.all(
    targets.map(async (port, i) => {
      clients[i]?.send({ ...load, port, path, key } satisfies Load);
      const [result] = (await once(clients[i] as ChildProcess, 'message')) as [LoadResult];
      return result;
    }),
  );
  const sum = (of: (result: LoadResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const worst = (of: (result: LoadResult) => number): number => Math.max(...results.map(of));
  return {
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
    perSecond: sum(({ perSecond }) => perSecond),
    p50: worst(({ p50 }) => p50),
    p99: worst(({ p99 }) => p99),
    firstByteP50: worst(({ firstByteP50 }) => firstByteP50),
    firstByteP99: worst(({ firstByteP99 }) => firstByteP99),
    sums: worst(({ sums }) => sums),
  };
}

const durationMs = Number(values.seconds) * 1_000;
const connections = Math.ceil(CONNECTIONS / ports.length);
const kinds = {
  most: { connections, durationMs },
  'at 100/s': { connections: 16, durationMs, rate: 100 / ports.length },
};
let sent = 0;
try {
  const shown = {
    nodes: ports.length,
    database: postgres === undefined ? 'sqlite' : 'postgres',
    transport: values.transport,
  };
  for (const [kind, load] of Object.entries(kinds)) {
    for (const [way, targets, path] of [
      ['direct', [upstream], '/v1/chat/completions'],
      ['hosted', ports, PATH],
    ] as const) {
      const rounds: LoadResult[] = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        const result = await ask(targets, path, load);
        if (way === 'hosted') sent += result.requests;
        rounds.push(result);
      }
      const of = (name: keyof LoadResult): number => significant(median(rounds.map((result) => result[name])));
      const figures = { perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), failed: of('failed') };
      process.stdout.write(`${JSON.stringify({ kind, way, ...shown, ...figures })}\n`);
    }
  }
} finally {
  for (const child of children.slice(1)) child.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}
const books = await withService(async ({ billing }) => {
  await billing.tick();
  const { availableMicro, heldMicro } = await billing.accounts.get(accountId);
  const { faults, groups } = await billing.ledger.verify();
  return {
    sent,
    settled: groups - 1,
    heldMicro: String(heldMicro),
    spentMicro: String(10n ** 15n - availableMicro),
    faults,
  };
});
process.stdout.write(`${JSON.stringify(books)}\n`);
for (const child of children) child.kill('SIGKILL');
await postgres?.stop();
rmSync(scratch, { recursive: true, force: true });
