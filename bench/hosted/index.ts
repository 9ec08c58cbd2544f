// node dist/bench/hosted/index.js [--nodes N] [--postgres] [--seconds N] [--rounds N] [--accounts N] [--connections N]
// [--transport node|uws] [--litellm VENV] [--only PART]: a model server that costs nothing, asked directly, through nodes of
// the hosted API, each request held, relayed, settled and in the ledger, and through LiteLLM's proxy without a database, of
// which its binaries are not on PyPI. Without --postgres one node on SQLite. JSON lines; at the end the books are held
// against what was sent.

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
import { startLitellm } from '../gateway/litellm.js';
import type { Load, LoadResult } from '../gateway/load.js';
import { median, significant } from '../record/statistics.js';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '2' },
    postgres: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    accounts: { type: 'string', default: '1' },
    connections: { type: 'string', default: '64' },
    transport: { type: 'string', default: 'node' },
    litellm: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});

const gatewayFile = (file: string): string => fileURLToPath(new URL(`../gateway/${file}`, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'hosted-bench-'));
const children: ChildProcess[] = [];
const SECRET = '0123456789abcdef0123456789abcdef';
const PATH = '/bench/v1/chat/completions';
/** Of clients to all nodes together. */
const CONNECTIONS = Number(values.connections);
const CREDIT_MICRO = 10n ** 15n;

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

const accounts = await withService(async ({ billing }) => {
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
  const made: { readonly id: string; readonly key: string }[] = [];
  for (let i = 0; i < Number(values.accounts); i++) {
    const { id } = await billing.accounts.create({ name: 'bench', currency: 'USD' }, 'bench');
    await billing.accounts.credit(id, { amountMicro: CREDIT_MICRO, reference: 'first' }, 'bench');
    const limits = { budgets: [], models: null };
    made.push({ id, key: (await billing.keys.create(id, { name: 'a', limits }, 'bench')).secret });
  }
  return made;
});

const serve = fileURLToPath(new URL('serve.js', import.meta.url));
const ports = await Promise.all(files.map((file) => start(serve, [file], env)));
const clients = ports.map(() => fork(gatewayFile('load.js')));
children.push(...clients);

async function ask(
  targets: readonly number[],
  path: string,
  keys: readonly string[],
  load: Omit<Load, 'port' | 'path' | 'key'>,
): Promise<LoadResult> {
  const results = await Promise.all(
    targets.map(async (port, i) => {
      const key = keys[i % keys.length] ?? '';
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
  'at 1,000/s': { connections, durationMs, rate: 1_000 / ports.length },
  'at 100/s': { connections: 16, durationMs, rate: 100 / ports.length },
};
let sent = 0;
const keys = accounts.map(({ key }) => key);
const ways: (readonly [name: string, targets: readonly number[], path: string, keys: readonly string[]])[] = [
  ['direct', [upstream], '/v1/chat/completions', keys],
  ['hosted', ports, PATH, keys],
];
try {
  if (values.litellm !== undefined) {
    const peer = await startLitellm(values.litellm, scratch, upstream);
    children.push(peer.child);
    ways.push(['litellm', [peer.port], '/v1/chat/completions', [peer.key]]);
  }
  const shown = {
    nodes: ports.length,
    database: postgres === undefined ? 'sqlite' : 'postgres',
    transport: values.transport,
  };
  for (const [kind, load] of Object.entries(kinds)) {
    for (const [way, targets, path, its] of ways) {
      if (!`${kind}: ${way}`.includes(values.only)) continue;
      const rounds: LoadResult[] = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        const result = await ask(targets, path, its, load);
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
  const left = await Promise.all(accounts.map(({ id }) => billing.accounts.get(id)));
  const { faults, groups } = await billing.ledger.verify();
  return {
    sent,
    settled: groups - accounts.length,
    heldMicro: String(left.reduce((sum, { heldMicro }) => sum + heldMicro, 0n)),
    spentMicro: String(left.reduce((sum, { availableMicro }) => sum + CREDIT_MICRO - availableMicro, 0n)),
    faults,
  };
});
process.stdout.write(`${JSON.stringify(books)}\n`);
for (const child of children) child.kill('SIGKILL');
await postgres?.stop();
rmSync(scratch, { recursive: true, force: true });
