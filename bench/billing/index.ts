// node dist/bench/billing/index.js [--postgres URL|debian] [--accounts N] [--clients N] [--busy N] [--seconds N] [--hold MS]: admits and
// settles on a database, SQLite in a file of its own or a PostgreSQL that is empty (`debian`: one that is started for it), and prints a JSON line. `--busy`: from how
// many admissions a second an account has an allowance; 0 for never.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { unixMs } from '../../src/base/index.js';
import { createRequestId, openBilling, type Billing, type Caller } from '../../src/billing/index.js';
import { openPostgres, openSqlite } from '../../src/database/index.js';
import { PRICED, used } from '../../test/billing/open-test-billing.js';
import { startPostgres } from '../../test/support/postgres.js';
import { significant } from '../record/statistics.js';

const { values } = parseArgs({
  options: {
    postgres: { type: 'string' },
    accounts: { type: 'string', default: '20' },
    clients: { type: 'string', default: '64' },
    busy: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '5' },
    hold: { type: 'string', default: '20' },
  },
});

async function createCaller(billing: Billing): Promise<Caller> {
  const account = await billing.accounts.create({ name: 'bench', currency: 'EUR' }, 'bench');
  await billing.accounts.credit(account.id, { amountMicro: 10n ** 12n, reference: 'bench' }, 'bench');
  const key = { name: 'bench', limits: { budgets: [], models: null } };
  const { secret } = await billing.keys.create(account.id, key, 'bench');
  return billing.keys.authenticate(secret);
}

/** Milliseconds within which a part of them lie. */
function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return significant(sorted[Math.floor(sorted.length * part)] ?? 0, 3);
}

const directory = mkdtempSync(join(tmpdir(), 'billing-bench-'));
const server = values.postgres === 'debian' ? await startPostgres({ isDurable: true }) : undefined;
const url = server === undefined ? values.postgres : await server.createDatabase('bench');
const database =
  url === undefined ? await openSqlite({ path: join(directory, 'bench.sqlite') }) : await openPostgres({ url });
const busyPerSecond = values.busy === '0' ? Infinity : Number(values.busy);
const billing = await openBilling({ database, directory, hmacKey: new Uint8Array(32), log: () => {}, busyPerSecond });
const callers: Caller[] = [];
for (let i = 0; i < Number(values.accounts); i++) callers.push(await createCaller(billing));

const [admitMs, settleMs]: [number[], number[]] = [[], []];
let isDone = false;
async function run(caller: Caller): Promise<void> {
  while (!isDone) {
    const startMs = performance.now();
    const hold = await billing.requests.admit({
      requestId: createRequestId(unixMs()),
      caller,
      provider: PRICED.provider,
      model: PRICED.model,
      price: PRICED,
      promptTokensBound: 100,
      images: 0,
      audios: 0,
      isWhole: false,
    });
    admitMs.push(performance.now() - startMs);
    await setTimeout(Number(values.hold));
    const endMs = performance.now();
    await hold.settle(used(100, 50));
    settleMs.push(performance.now() - endMs);
  }
}

const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
const clients = Array.from({ length: Number(values.clients) }, (_, i) => run(callers[i % callers.length] as Caller));
await setTimeout(Number(values.seconds) * 1000);
isDone = true;
await Promise.all(clients);
const seconds = (performance.now() - startMs) / 1000;
const { user, system } = process.cpuUsage(startCpu);
await billing.tick();
const { faults } = await billing.ledger.verify();
const line = {
  node: process.version,
  database: database.kind,
  accounts: callers.length,
  clients: clients.length,
  busyPerSecond: values.busy,
  settledPerSecond: Math.round(settleMs.length / seconds),
  admitP50Ms: quantile(admitMs, 0.5),
  admitP99Ms: quantile(admitMs, 0.99),
  settleP50Ms: quantile(settleMs, 0.5),
  settleP99Ms: quantile(settleMs, 0.99),
  cpuMicrosPerRequest: Math.round((user + system) / settleMs.length),
  faults: faults.length,
};
process.stdout.write(`${JSON.stringify(line)}\n`);
await billing[Symbol.asyncDispose]();
await database[Symbol.asyncDispose]();
await server?.stop();
rmSync(directory, { recursive: true, force: true });
